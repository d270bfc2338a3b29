#include "mm/redistribution/intersection.hpp"

#include <algorithm>

namespace cuboid::detail {

namespace {

/// The first index at or after `index` that `process` holds; the extent where it holds no more.
template <class Dimension>
Global<Dimension> next_held(const BlockCyclic<Dimension>& distribution, int process,
                            Global<Dimension> index) {
  if (index >= distribution.all().end || distribution.owner(index) == process) return index;
  const Local<Dimension> local = distribution.first_local(process, index);
  if (local.value >= distribution.local_extent(process)) return distribution.all().end;
  return distribution.global(process, local);
}

}  // namespace

template <class SourceDimension, class DestinationDimension>
std::vector<SharedRun<SourceDimension, DestinationDimension>> intersect(
    const AxisTransfer<SourceDimension, DestinationDimension>& transfer, int sender, int receiver,
    LocalRange<DestinationDimension> window) {
  const auto& [source, destination, range, begin] = transfer;
  const LocalRange<DestinationDimension> received =
      destination.local_range(receiver, transfer.destination_range());
  const Local<DestinationDimension> end = std::min(window.end, received.end);

  std::vector<SharedRun<SourceDimension, DestinationDimension>> runs;
  Local<DestinationDimension> at = std::max(window.begin, received.begin);
  while (at < end) {
    // A run of the receiver, in the source's numbers: [from, to).
    const Global<DestinationDimension> first = destination.global(receiver, at);
    const std::int64_t length = std::min(destination.run_end(first) - first, end - at);
    const Global<SourceDimension> from = range.begin + (first - begin);
    const Global<SourceDimension> to = from + length;
    // What the sender has of it.
    for (auto held = next_held(source, sender, from); held < to;) {
      const Global<SourceDimension> held_end = std::min(source.run_end(held), to);
      runs.push_back({source.local(held), at + (held - from), held_end - held});
      held = next_held(source, sender, held_end);
    }
    at += length;
  }
  return runs;
}

template std::vector<SharedRun<Row, Row>> intersect(const AxisTransfer<Row, Row>&, int, int,
                                                    LocalRange<Row>);
template std::vector<SharedRun<Row, Column>> intersect(const AxisTransfer<Row, Column>&, int, int,
                                                       LocalRange<Column>);
template std::vector<SharedRun<Column, Row>> intersect(const AxisTransfer<Column, Row>&, int, int,
                                                       LocalRange<Row>);
template std::vector<SharedRun<Column, Column>> intersect(const AxisTransfer<Column, Column>&, int,
                                                          int, LocalRange<Column>);

}  // namespace cuboid::detail
