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

/// Sums of all extents before each, and of all.
std::vector<std::int64_t> begins(const std::vector<std::int64_t>& extents);

/// Vectors of an operand, each whole along the inner dimension, in flight in slabs to all ranks
/// of a line, each of which owns some.
template <MatrixElement T>
class SlabFace {
 public:
  /// Collective over the line.
  /// @param pieces  what comes of all that the line's ranks own.
  /// Throws Error(out_of_memory).
  SlabFace(const Communicator& line, const OwnedVectors& owned, std::span<const std::size_t> pieces,
           std::span<const double> come, std::int64_t inner);

  const std::vector<Slab>& slabs() const { return slabs_.all; }
  /// Vectors of some slabs.
  std::int64_t extent(std::size_t first, std::size_t end) const;

  /// Packs what this rank sends with a slab.
  void pack(std::size_t slab, const FlatOperand<T>& operand);
  /// Begins to gather a slab, for which all have packed. Collective over the line.
  void start(std::size_t slab);
  /// Whether slabs are in flight.
  bool progress();
  void finish(std::size_t slab) { in_flight_[slab].wait(); }
  /// All slabs from one on.
  Panel<T> panel(std::size_t slab, Op op) const;

 private:
  T* vector_at(std::int64_t index) const { return memory_.data() + index * inner_; }

  std::int64_t inner_;
  Slabs slabs_;
  std::vector<std::int64_t> stored_;  // where each piece begins among what this rank owns
  AlignedArray<T> memory_;
  std::vector<std::optional<CollectivePlan>> gathers_;  // by slab; none where nothing moves
  std::vector<Request> in_flight_;                      // by slab
};

}  // namespace cuboid::detail
