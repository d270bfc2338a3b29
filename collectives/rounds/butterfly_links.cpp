#include "collectives/rounds/butterfly_links.hpp"

#include "collectives/rounds/fold.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace cuboid::detail {

namespace {

// Messages over each link of a line, up and down.
class LinkLoads {
 public:
  LinkLoads(int extent, bool wraps)
      : extent_(extent),
        wraps_(wraps),
        up_(static_cast<std::size_t>(2 * extent) + 1, 0),
        down_(up_) {}

  void add(int from, int to) {
    int distance = to - from;
    if (wraps_ && 2 * distance > extent_) distance -= extent_;
    if (wraps_ && 2 * distance < -extent_) distance += extent_;
    // As HalfWay::in_turn.
    if (wraps_ && 2 * std::abs(distance) == extent_)
      distance = from % 2 == 0 ? std::abs(distance) : -std::abs(distance);
    // The link above a position has its number; a ring's are unrolled.
    const int first = distance > 0 ? from : from + distance;
    const int start = first < 0 ? first + extent_ : first;
    auto& change = distance > 0 ? up_ : down_;
    ++change[static_cast<std::size_t>(start)];
    --change[static_cast<std::size_t>(start + std::abs(distance))];
  }

  int most() const { return std::max(most_of(up_), most_of(down_)); }

 private:
  int most_of(const std::vector<int>& change) const {
    std::vector<int> loads(static_cast<std::size_t>(extent_), 0);
    int load = 0;
    for (std::size_t link = 0; link < change.size(); ++link) {
      load += change[link];
      loads[link % loads.size()] += load;
    }
    return std::ranges::max(loads);
  }

  int extent_;
  bool wraps_;
  std::vector<int> up_;
  std::vector<int> down_;
};

/// Calls `action` with each position of the line that one there sends to in a step: who takes over
/// from it in a fold, else whom it meets, itself included.
template <class Action>
void for_each_receiver(const ButterflyStep& step, const CoreLine& line, int position,
                       Action action) {
  if (step.collects) {
    for (const RingArc& arc : step.arcs) action((position + arc.centre) % line.extent());
    return;
  }
  if (step.is_fold() != line.is_beyond(position)) return;
  if (step.is_meanwhile()) {
    for (int part = 0; part < step.parts; ++part)
      action(step.member[static_cast<std::size_t>(position * step.parts + part)]);
  } else if (step.is_fold()) {
    action(line.onto(position));
  } else {
    for (int digit = 0; digit < step.radix; ++digit)
      action(step.member[static_cast<std::size_t>(position * step.radix + digit)]);
  }
}

// The positions that send are those for which `sends` holds.
template <class Sends>
int busiest_link_of(const Shape& shape, std::span<const Butterfly> ways, std::size_t step,
                    const Sends& sends) {
  const int axis = ways.front().steps[step].axis;
  const int extent = shape.extent(axis);
  LinkLoads loads(extent, shape.wraps(axis));
  // What goes on beyond the end of a line comes back along all of it.
  if (ways.front().steps[step].passes_on())
    return static_cast<int>(ways.size()) * (shape.wraps(axis) ? 1 : 2);
  for (const Butterfly& way : ways) {
    const ButterflyStep& of_way = way.steps[step];
    const CoreLine line(shape.axes()[static_cast<std::size_t>(axis)],
                        way.cores[static_cast<std::size_t>(axis)], way.direction);
    for (int position = 0; position < extent; ++position) {
      if (!sends(way, position)) continue;
      for_each_receiver(of_way, line, position, [&](int there) {
        if (there != position) loads.add(position, there);
      });
    }
  }
  // Of nodes beyond several axes, those of whole lines meet on the last of these.
  const std::size_t axes = ways.front().steps[step].folded.size();
  return loads.most() << (axes > 1 ? axes - 1 : 0);
}

}  // namespace

int busiest_link(const Shape& shape, std::span<const Butterfly> ways, std::size_t step) {
  return busiest_link_of(shape, ways, step, [](const Butterfly&, int) { return true; });
}

int busiest_link_from_first(const Shape& shape, std::span<const Butterfly> ways, std::size_t step) {
  const auto is_reached = [step](const Butterfly& way, int position) {
    const int axis = way.steps[step].axis;
    return std::ranges::all_of(std::span(way.steps).subspan(step), [&](const ButterflyStep& later) {
      return later.axis != axis || later.is_fold() ||
             later.digit[static_cast<std::size_t>(position)] == later.digit.front();
    });
  };
  return busiest_link_of(shape, ways, step, is_reached);
}

int farthest_links(const Shape& shape, const Butterfly& butterfly, std::size_t step) {
  const ButterflyStep& taken = butterfly.steps[step];
  if (taken.passes_on()) return 1;
  const int extent = shape.extent(taken.axis);
  const CoreLine line(shape.axes()[static_cast<std::size_t>(taken.axis)],
                      butterfly.cores[static_cast<std::size_t>(taken.axis)], butterfly.direction);
  int farthest = 1;
  for (int position = 0; position < extent; ++position) {
    for_each_receiver(taken, line, position, [&](int there) {
      const int apart = std::abs(there - position);
      farthest =
          std::max(farthest, shape.wraps(taken.axis) ? std::min(apart, extent - apart) : apart);
    });
  }
  return farthest;
}

}  // namespace cuboid::detail
