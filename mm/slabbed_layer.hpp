#pragma once

#include <cuboid/collectives/collective_plan.hpp>
#include <cuboid/collectives/communicator.hpp>
#include <cuboid/collectives/request.hpp>
#include <cuboid/mm/aligned_memory.hpp>
#include <cuboid/mm/layered_grid.hpp>
#include <cuboid/mm/local_gemm.hpp>
#include <cuboid/mm/multiplication.hpp>
#include <cuboid/mm/process_grid.hpp>
#include <cuboid/mm/slabbed_gemm.hpp>
#include <cuboid/mm/slabs.hpp>
#include <cuboid/mm/stored_product.hpp>
#include <cuboid/mm/tall_operand.hpp>

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
  void progress();
  void finish();

 private:
  std::optional<CollectivePlan> plan_;
  std::optional<Request> request_;
};

/// An operand's slabs on their way to all ranks of a line, each of which has some of the inner
/// indices.
template <MatrixElement T>
class SlabFace {
 public:
  /// Collective over the line.
  /// @param inner  how many inner indices each rank of the line has.
  /// Throws Error(out_of_memory).
  SlabFace(const Communicator& line, std::vector<std::int64_t> inner, std::vector<Slab> slabs);

  const std::vector<Slab>& slabs() const { return slabs_; }
  std::int64_t inner() const { return inner_extent_; }

  /// Packs this rank's part of a slab and begins to gather the others'. Collective over the line.
  void start(std::size_t slab, const TallOperand<T>& operand);
  void progress();
  void finish(std::size_t slab) { gathers_[slab].finish(); }
  Panel<T> panel(std::size_t slab, Op op) const;

 private:
  T* place_of(const Slab& slab) const { return memory_.data() + slab.begin * inner_extent_; }
  T* own_part(const Slab& slab) const { return place_of(slab) + inner_begin_ * slab.extent; }

  std::int64_t inner_extent_ = 0;  // of all ranks of the line
  std::int64_t inner_begin_ = 0;   // this rank's first
  std::int64_t inner_own_ = 0;     // this rank's
  std::vector<Slab> slabs_;
  AlignedArray<T> memory_;
  std::vector<PlannedMove> gathers_;  // by slab
};

/// A layer's part of a 3-D multiplication, in slabs: op(A)'s rows and op(B)'s columns come by
/// all-gathers along process rows and columns, slab by slab; each pair of slabs completes another
/// border of C, which is summed over the layers at once, under the slabs that follow. So the links
/// along all three axes work at the same time (see SlabCut for what that gains).
///
/// Memory: the faces of the rank's brick, mk/(Pc) + kn/(Qc) + mn/(PQ), and a share of C.
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
  PhaseSeconds run(T alpha, const TallOperand<T>& left, const TallOperand<T>& right, T beta,
                   LocalView<T> C, const LocalGemm& gemm);

 private:
  /// The product of a slab of op(A) and one of op(B).
  struct Tile {
    std::size_t row = 0;
    std::size_t column = 0;
  };
  /// The tiles that a pair of slabs completes, and where their sums are.
  struct Border {
    std::vector<Tile> tiles;
    std::vector<std::size_t> counts;  // elements for each layer
    std::vector<T*> parts;            // where they are dealt out to
    PlannedMove summation;
  };

  void cut_borders();
  void plan_summations(const Communicator& line);
  void multiply_border(const Border& border, T alpha, Op op_b, const LocalGemm& gemm);
  void put_away(T beta, LocalView<T> C) const;
  void progress();

  ProcessGrid grid_;
  int layer_;
  std::optional<SlabFace<T>> a_, b_;
  std::vector<Border> borders_;
  AlignedArray<T> tile_, parts_, sums_;
  std::vector<std::size_t> dealt_;  // by layer: elements of a border's tiles so far
};

}  // namespace cuboid
