#pragma once

#include <cuboid/collective_plan.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/product_layouts.hpp>
#include <cuboid/request.hpp>

#include "mm/decompositions/layered_grid.hpp"
#include "mm/decompositions/slabs.hpp"
#include "mm/gemm/slabbed_gemm.hpp"
#include "mm/layered/flat_operand.hpp"
#include "mm/layout/process_grid.hpp"
#include "mm/matrix/aligned_memory.hpp"
#include "mm/multiplication/multiplication.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// A collective that is planned once and may be in flight; none where there is nothing to move.
class PlannedMove {
 public:
  PlannedMove() = default;
  explicit PlannedMove(CollectivePlan plan) : plan_(std::move(plan)) {}

  void start();
  /// Whether it is still in flight.
  bool progress();
  void finish();

 private:
  std::optional<CollectivePlan> plan_;
  std::optional<Request> request_;
};

/// Slices of an operand, each whole along the inner dimension, in flight in slabs to all ranks
/// of a line, each of which owns some.
template <MatrixElement T>
class SlabFace {
 public:
  /// Collective over the line.
  /// @param pieces  what comes of all that the line's ranks own.
  /// Throws Error(out_of_memory).
  SlabFace(const Communicator& line, const OwnedSlices& owned, std::span<const std::size_t> pieces,
           std::span<const double> come, std::int64_t inner);

  const std::vector<Slab>& slabs() const { return slabs_.all; }
  /// Slices of some slabs.
  std::int64_t extent(std::size_t first, std::size_t end) const;

  /// Packs what this rank sends with a slab.
  void pack(std::size_t slab, const FlatOperand<T>& operand);
  /// Begins to gather a slab, for which all have packed. Collective over the line.
  void start(std::size_t slab) { gathers_[slab].start(); }
  /// Whether slabs are in flight.
  bool progress();
  void finish(std::size_t slab) { gathers_[slab].finish(); }
  /// All slabs from one on.
  Panel<T> panel(std::size_t slab, Op op) const;

 private:
  T* slice(std::int64_t number) const { return memory_.data() + number * inner_; }

  std::int64_t inner_;
  Slabs slabs_;
  std::vector<std::int64_t> stored_;  // where each piece begins among what this rank owns
  AlignedArray<T> memory_;
  std::vector<PlannedMove> gathers_;  // by slab
};

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
  /// Collective over `layer`.
  /// @param layer  the ranks of this layer, row by row.
  /// @param line   the ranks of equal place in all layers.
  /// @param here   this rank's place on the grid, @param size the whole product's.
  SlabbedLayer(const Communicator& layer, const Communicator& line, const LayeredGrid& grid,
               const LayeredPosition& here, const ProductSize& size);

  /// C ← α·op(A)·op(B) + β·C, for this rank's share of C. Collective over the grid.
  PhaseSeconds run(T alpha, const FlatOperand<T>& left, const FlatOperand<T>& right, T beta,
                   LocalView<T> C, const LocalGemm& gemm);

 private:
  /// What is multiplied at once: some slabs of rows and some of columns, each one after the other.
  struct Tile {
    std::size_t first_row = 0, end_row = 0;
    std::size_t first_column = 0, end_column = 0;
  };
  /// The tiles that slabs of one number complete, and where their sums are.
  struct Border {
    std::vector<Tile> given = {};
    std::vector<Tile> kept = {};
    std::vector<std::size_t> counts = {};  // elements given to each layer
    std::vector<T*> parts = {};            // where they are distributed to
    PlannedMove summation = {};
  };

  std::int64_t elements(const Tile& tile, const SlabFace<T>& columns) const;
  void cut_borders(const SlabCut& cut);
  std::vector<std::size_t> given_counts(const std::vector<Tile>& tiles) const;
  void plan_summations(const Communicator& line);
  void multiply(const Tile& tile, const SlabFace<T>& columns, T alpha, Op op_a, Op op_b,
                const LocalGemm& gemm);
  void deal_out(const Tile& tile, const Border& border);
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
  std::vector<Border> borders_;     // their requests write to these
  std::vector<std::size_t> dealt_;  // by layer: elements of a border's tiles so far
};

}  // namespace cuboid::detail
