#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/multiply_options.hpp>
#include <cuboid/request.hpp>

#include "mm/decompositions/layered_grid.hpp"
#include "mm/decompositions/slabs.hpp"
#include "mm/drivers/layered/flat_operand.hpp"
#include "mm/drivers/layered/layer_ranks.hpp"
#include "mm/drivers/layered/slab_face.hpp"
#include "mm/matrix/aligned_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// A layer's part of a 3-D multiplication, in slabs: op(A)'s rows and op(B)'s columns come by
/// all-gathers along process rows and columns, slab by slab, behind those that are the rank's own;
/// each pair of slabs completes another border of C. Of that, what other layers sum is given to
/// them at once, under the slabs that follow; columns that this layer sums itself come last, and
/// are multiplied under the last sums. So the links along all three axes work at the same time (see
/// SlabCut for what that gains).
///
/// Memory: the faces of the rank's brick, mk/(Pc) + kn/(Qc) + mn/(PQ), a share of C and the largest
/// part of C that is multiplied at once.
template <MatrixElement T>
class SlabbedLayer {
 public:
  /// Collective over the layer.
  /// @param size  of the whole product.
  SlabbedLayer(const LayerRanks& ranks, const LayeredGrid& grid, const ProductSize& size);

  /// C ← α·op(A)·op(B) + β·C, for this rank's share of C. Collective over the grid.
  /// `seconds` grows by what it takes.
  void run(T alpha, const FlatOperand<T>& left, const FlatOperand<T>& right, T beta, LocalView<T> C,
           const LocalGemm& gemm, PhaseSeconds& seconds);

 private:
  /// What is multiplied at once: some slabs of rows and some of columns, each one after the other.
  struct Tile {
    std::size_t first_row = 0, end_row = 0;
    std::size_t first_column = 0, end_column = 0;
  };
  /// The tiles that one slab each of rows and columns complete, and where their sums are.
  struct Border {
    std::vector<Tile> given = {};
    std::vector<Tile> kept = {};
    std::vector<std::size_t> counts = {};  // elements given to each layer
    std::vector<T*> parts = {};            // where they are distributed to
    std::optional<CollectivePlan> summation = {};
    Request sums_in_flight = {};
  };

  std::int64_t elements(const Tile& tile, const SlabFace<T>& columns) const;
  void cut_borders(const SlabCut& cut);
  std::vector<std::size_t> given_counts(const std::vector<Tile>& tiles) const;
  void plan_summations(const Communicator& line);
  void multiply(const Tile& tile, const SlabFace<T>& columns, T alpha, Op op_a, Op op_b,
                const LocalGemm& gemm);
  void distribute(const Tile& tile, const Border& border);
  const T* add(const Tile& tile, const std::vector<Slab>& columns, const T* from,
               LocalView<T> C) const;
  bool progress();

  std::size_t layer_;
  std::size_t layers_;
  std::int64_t inner_;
  std::optional<SlabFace<T>> rows_, given_, kept_;
  std::vector<Slab> received_;  // columns of this layer's piece, as the others give them
  std::vector<std::int64_t> row_begins_, column_begins_;  // in C, by owner
  AlignedArray<T> tile_, parts_, sums_;
  std::vector<Border> borders_;           // their requests write to these
  std::vector<std::size_t> distributed_;  // by layer: elements of a border's tiles so far
};

}  // namespace cuboid::detail
