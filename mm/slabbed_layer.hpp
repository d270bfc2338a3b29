#pragma once

#include <cuboid/collectives/collective_plan.hpp>
#include <cuboid/collectives/communicator.hpp>
#include <cuboid/collectives/request.hpp>
#include <cuboid/mm/aligned_memory.hpp>
#include <cuboid/mm/flat_operand.hpp>
#include <cuboid/mm/layered_grid.hpp>
#include <cuboid/mm/local_gemm.hpp>
#include <cuboid/mm/multiplication.hpp>
#include <cuboid/mm/process_grid.hpp>
#include <cuboid/mm/slabbed_gemm.hpp>
#include <cuboid/mm/slabs.hpp>
#include <cuboid/mm/stored_product.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace cuboid {

/// A collective that is planned once and may be on its way; none where there is nothing to move.
class PlannedMove {
 public:
  PlannedMove() = default;
  explicit PlannedMove(CollectivePlan plan) : plan_(std::move(plan)) {}

  void start();
  /// Whether it is still on its way.
  bool progress();
  void finish();

 private:
  std::optional<CollectivePlan> plan_;
  std::optional<Request> request_;
};

/// An operand's slabs on their way to all ranks of a line, each of which owns some of the slices,
/// whole along the inner dimension.
template <MatrixElement T>
class SlabFace {
 public:
  /// Collective over the line.
  /// @param parts  how many slices each rank of the line owns.
  /// Throws Error(out_of_memory).
  SlabFace(const Communicator& line, std::vector<std::int64_t> parts, std::int64_t inner,
           const SlabCut& cut);

  const std::vector<Slab>& slabs() const { return slabs_.all; }
  /// Slices of some slabs.
  std::int64_t extent(std::size_t first, std::size_t end) const;
  std::int64_t inner() const { return inner_; }

  /// Packs what this rank sends with a slab.
  void pack(std::size_t slab, const FlatOperand<T>& operand);
  /// Begins to gather a slab, for which all have packed. Collective over the line.
  void start(std::size_t slab) { gathers_[slab].start(); }
  /// Whether slabs are on their way.
  bool progress();
  void finish(std::size_t slab) { gathers_[slab].finish(); }
  /// All slabs from one on.
  Panel<T> panel(std::size_t slab, Op op) const;

 private:
  T* slice(std::int64_t number) const { return memory_.data() + number * inner_; }

  std::int64_t inner_;
  Slabs slabs_;
  std::int64_t own_begin_;  // in the block
  AlignedArray<T> memory_;
  std::vector<PlannedMove> gathers_;  // by slab
};

/// A layer's part of a 3-D multiplication, in slabs: op(A)'s rows and op(B)'s columns come by
/// all-gathers along process rows and columns, slab by slab, behind those that are the rank's own;
/// each pair of slabs completes another border of C, which is summed over the layers at once, under
/// the slabs that follow. So the links along all three axes work at the same time (see SlabCut for
/// what that gains).
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
  /// What some slabs of op(A) and some of op(B), each one behind the other, make of C.
  struct Tile {
    std::size_t first_row = 0, end_row = 0;
    std::size_t first_column = 0, end_column = 0;
  };
  /// The tiles that a pair of slabs completes, and where their sums are.
  struct Border {
    std::vector<Tile> tiles;
    std::vector<std::size_t> counts;  // elements for each layer
    std::vector<T*> parts = {};       // where they are dealt out to
    PlannedMove summation = {};
  };
  using Runs = std::vector<LocalRange<Row>>;

  std::int64_t rows(const Tile& tile) const { return a_->extent(tile.first_row, tile.end_row); }
  std::int64_t columns(const Tile& tile) const {
    return b_->extent(tile.first_column, tile.end_column);
  }
  void deal_columns(const std::vector<std::int64_t>& pieces);
  void cut_borders();
  void plan_summations(const Communicator& line);
  void multiply_border(const Border& border, T alpha, Op op_a, Op op_b, const LocalGemm& gemm);
  void put_away(T beta, LocalView<T> C) const;
  bool progress();

  ProcessGrid grid_;
  std::size_t layer_;
  std::int64_t piece_begin_ = 0;  // of this layer's columns
  std::optional<SlabFace<T>> a_, b_;
  std::vector<std::vector<std::int64_t>> columns_for_;  // by slab of op(B) and by layer
  std::vector<Runs> own_columns_;                       // by slab of op(B), for this layer
  AlignedArray<T> tile_, parts_, sums_;
  std::vector<Border> borders_;     // their requests write to these
  std::vector<std::size_t> dealt_;  // by layer: elements of a border's tiles so far
};

}  // namespace cuboid
