#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/request.hpp>

#include "mm/decompositions/slabs.hpp"
#include "mm/drivers/layered/flat_operand.hpp"
#include "mm/local/gemm_in_strips.hpp"
#include "mm/matrix/aligned_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// For each extent, the sum of the extents before it; at the end the sum of all.
std::vector<std::int64_t> begins(const std::vector<std::int64_t>& extents);

/// Brings an operand's vectors in slabs to all ranks of a line. Each rank of the line owns some of
/// the vectors. A vector is whole along the inner dimension.
template <MatrixElement T>
class SlabFace {
 public:
  /// Collective over the line.
  /// @param pieces  the pieces to bring, out of all pieces that the line's ranks own.
  /// Throws Error(out_of_memory).
  SlabFace(const Communicator& line, const OwnedVectors& owned, std::span<const std::size_t> pieces,
           std::span<const double> come, std::int64_t inner);

  const std::vector<Slab>& slabs() const { return slabs_.all; }
  /// The number of vectors of the slabs first … end - 1.
  std::int64_t extent(std::size_t first, std::size_t end) const;

  /// Packs this rank's vectors of a slab.
  void pack(std::size_t slab, const FlatOperand<T>& operand);
  /// Begins to gather a slab that all ranks have packed. Collective over the line.
  void start(std::size_t slab);
  /// Progresses the slabs in flight; returns false if there is none.
  bool progress();
  void finish(std::size_t slab) { in_flight_[slab].wait(); }
  /// All slabs from `slab` on, as one panel.
  Panel<T> panel(std::size_t slab, Op op) const;

 private:
  T* vector_at(std::int64_t index) const { return memory_.data() + index * inner_; }

  std::int64_t inner_;
  Slabs slabs_;
  std::vector<std::int64_t> stored_;  // by piece: its first vector among this rank's own
  AlignedArray<T> memory_;
  std::vector<std::optional<CollectivePlan>> gathers_;  // by slab; empty if nothing moves
  std::vector<Request> in_flight_;                      // by slab
};

}  // namespace cuboid::detail
