#pragma once

#include <cuboid/layout.hpp>

#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// Indices that lie one after the other on both sides of a transfer: `extent` of them from
/// `source` on at the sender are those from `destination` on at the receiver.
template <class SourceDimension, class DestinationDimension>
struct SharedRun {
  Local<SourceDimension> source;
  Local<DestinationDimension> destination;
  std::int64_t extent = 0;
  bool operator==(const SharedRun&) const = default;
};

/// One dimension of a transfer between two layouts: which indices of the source become which of the
/// destination. Source and destination dimension differ when the matrix is transposed on the way.
template <class SourceDimension, class DestinationDimension>
struct AxisTransfer {
  BlockCyclic<SourceDimension> source;
  BlockCyclic<DestinationDimension> destination;
  GlobalRange<SourceDimension> range;  ///< the indices of the source that move
  Global<DestinationDimension> begin;  ///< where the first of them goes

  /// The same indices as the destination numbers them.
  GlobalRange<DestinationDimension> destination_range() const {
    return {begin, begin + range.extent()};
  }
};

/// The indices that process `sender` of the source and process `receiver` of the destination have
/// in common, restricted to a window of the receiver's local indices, ascending. Pure.
template <class SourceDimension, class DestinationDimension>
std::vector<SharedRun<SourceDimension, DestinationDimension>> intersect(
    const AxisTransfer<SourceDimension, DestinationDimension>& transfer, int sender, int receiver,
    LocalRange<DestinationDimension> window);

/// Indices in a list of runs.
template <class SourceDimension, class DestinationDimension>
std::int64_t extent(const std::vector<SharedRun<SourceDimension, DestinationDimension>>& runs) {
  std::int64_t sum = 0;
  for (const auto& run : runs) sum += run.extent;
  return sum;
}

}  // namespace cuboid::detail
