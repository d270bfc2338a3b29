#include "collectives/butterflies/butterfly_links.hpp"

#include "collectives/butterflies/fold.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

namespace cuboid::detail {

LinkLoads::LinkLoads(int extent, bool wraps)
    : extent_(extent),
      wraps_(wraps),
      up_(static_cast<std::size_t>(2 * extent) + 1, 0),
      down_(up_) {}

void LinkLoads::add(int from, int to) {
  int distance = to - from;
  if (wraps_ && 2 * distance > extent_) distance -= extent_;
  if (wraps_ && 2 * distance < -extent_) distance += extent_;
  // Halfway round a ring even positions go up and odd ones down, as with HalfWay::in_turn.
  if (wraps_ && 2 * std::abs(distance) == extent_)
    distance = from % 2 == 0 ? std::abs(distance) : -std::abs(distance);
  // Link i is above position i. Links of a ring are counted on beyond its end and added up in
  // most_of().
  const int first = distance > 0 ? from : from + distance;
  const int start = first < 0 ? first + extent_ : first;
  auto& change = distance > 0 ? up_ : down_;
  ++change[static_cast<std::size_t>(start)];
  --change[static_cast<std::size_t>(start + std::abs(distance))];
}

int LinkLoads::most() const {
  return std::max(most_of(up_), most_of(down_));
}

int LinkLoads::most_of(const std::vector<int>& change) const {
  std::vector<int> loads(static_cast<std::size_t>(extent_), 0);
  int load = 0;
  for (std::size_t link = 0; link < change.size(); ++link) {
    load += change[link];
    loads[link % loads.size()] += load;
  }
  return std::ranges::max(loads);
}

namespace {

/// Calls `action` with each position to which `position` sends in a step: the positions that take
/// over from it in a fold, else the positions that it meets, itself included.
template <class Action>
void for_each_receiver(const ButterflyStep& step, const CoreLine& line, int position,
                       Action action) {
  if (step.collects) {
    for (const RingArc& arc : step.arcs) action((position + arc.centre) % line.extent());
    return;
  }
  if (step.is_fold() != line.is_surplus(position)) return;
  if (step.is_overlapped()) {
    for (int part = 0; part < step.parts; ++part)
      action(step.member[static_cast<std::size_t>(position * step.parts + part)]);
  } else if (step.is_fold()) {
    action(line.onto(position));
  } else {
    for (int digit = 0; digit < step.radix; ++digit)
      action(step.member[static_cast<std::size_t>(position * step.radix + digit)]);
  }
}

}  // namespace

int busiest_link(const Shape& shape, std::span<const Butterfly> ways, std::size_t step) {
  const int axis = ways.front().steps[step].axis;
  const int extent = shape.extent(axis);
  LinkLoads loads(extent, shape.wraps(axis));
  // On a line without wrapping, a message beyond the end takes the whole line back.
  if (ways.front().steps[step].passes_on())
    return static_cast<int>(ways.size()) * (shape.wraps(axis) ? 1 : 2);
  for (const Butterfly& way : ways) {
    const ButterflyStep& of_way = way.steps[step];
    const CoreLine line(shape.axes()[static_cast<std::size_t>(axis)],
                        way.cores[static_cast<std::size_t>(axis)], way.direction);
    for (int position = 0; position < extent; ++position) {
      for_each_receiver(of_way, line, position, [&](int there) {
        if (there != position) loads.add(position, there);
      });
    }
  }
  // Nodes that are surplus on several axes hand over along these axes one after the other, so the
  // messages of whole lines meet on the last axis.
  const std::size_t axes = ways.front().steps[step].folded.size();
  return loads.most() << (axes > 1 ? axes - 1 : 0);
}

int farthest_links(const Shape& shape, const Butterfly& butterfly, std::size_t step) {
  const ButterflyStep& taken = butterfly.steps[step];
  if (taken.passes_on()) return 1;
  const Axis& axis = shape.axes()[static_cast<std::size_t>(taken.axis)];
  const CoreLine line(axis, butterfly.cores[static_cast<std::size_t>(taken.axis)],
                      butterfly.direction);
  int farthest = 1;
  for (int position = 0; position < axis.extent; ++position) {
    for_each_receiver(taken, line, position, [&](int there) {
      farthest = std::max(farthest, links_along(axis, position, there));
    });
  }
  return farthest;
}

}  // namespace cuboid::detail
