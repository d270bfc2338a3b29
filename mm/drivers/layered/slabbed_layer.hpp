#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/multiply_options.hpp>
#include <cuboid/request.hpp>

#include "mm/decompositions/layered_grid.hpp"
#include "mm/decompositions/slabs.hpp"
#include "mm/drivers/layered/flat_operand.hpp"
#include "mm/drivers/layered/layer_copy.hpp"
#include "mm/drivers/layered/slab_face.hpp"
#include "mm/matrix/aligned_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// A layer's part of a 3-D multiplication, in slabs. op(A)'s rows and op(B)'s columns arrive by
/// all-gathers along process rows and columns, slab by slab, after the rank's own. Each pair of
/// slabs completes another border of C. The part of a border that other layers sum is sent to them
/// at once, while the next slabs arrive. Columns that this layer sums itself arrive last and are
/// multiplied during the last sums. So the links along all three axes work at the same time
/// (SlabCut says what that gains):
///
///          own  slab 1  slab 2   columns of op(B)
///     own   b1  | b2    | b3
///     slab 1 b2   b2    | b3     border 2 of C is complete when slab 1 has arrived
///     slab 2 b3   b3      b3     rows of op(A)
///
/// Memory: the faces of the rank's brick, mk/(Pc) + kn/(Qc) + mn/(PQ), a share of C and the largest
/// part of C that is multiplied at once.
template <MatrixElement T>
class SlabbedLayer {
 public:
  /// Collective over the layer.
  /// @param size  the size of the whole product.
  SlabbedLayer(const LayerRanks& ranks, const LayeredGrid& grid, const ProductSize& size);

  /// C ← α·op(A)·op(B) + β·C, for this rank's share of C. Collective over the grid. Adds the time
  /// that it takes to `seconds`.
  void run(T alpha, const FlatOperand<T>& left, const FlatOperand<T>& right, T beta, LocalView<T> C,
           const LocalGemm& gemm, PhaseSeconds& seconds);

 private:
  /// A part of C that is multiplied at once: consecutive slabs of rows and consecutive slabs of
  /// columns.
  struct Tile {
    std::size_t first_row = 0, end_row = 0;
    std::size_t first_column = 0, end_column = 0;
  };
  /// The tiles that a slab of rows and a slab of columns complete, and their sums.
  struct Border {
    std::vector<Tile> given = {};
    std::vector<Tile> kept = {};
    std::vector<std::size_t> counts = {};  // elements sent to each layer
    std::vector<T*> parts = {};            // the memory of these elements, by layer
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
  // Columns of this layer's piece, in the order in which the other layers send them.
  std::vector<Slab> received_;
  std::vector<std::int64_t> row_begins_, column_begins_;  // first rows and columns in C, by owner
  AlignedArray<T> tile_, parts_, sums_;
  std::vector<Border> borders_;  // destroyed before the arrays, to which their requests write
  std::vector<std::size_t> distributed_;  // by layer: the elements distributed of a border's tiles
};

}  // namespace cuboid::detail
