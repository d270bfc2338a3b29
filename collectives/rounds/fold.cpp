#include "collectives/rounds/fold.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace cuboid::detail {

namespace {

CoreLine line_of(const Shape& shape, const Butterfly& butterfly, int axis) {
  return {shape.axes()[static_cast<std::size_t>(axis)],
          butterfly.cores[static_cast<std::size_t>(axis)], butterfly.direction};
}

// How far from a position those are that hand over to it, in a late fold.
constexpr int farthest_fold = 3;

}  // namespace

bool is_beyond(const Shape& shape, const Butterfly& butterfly, int axis, NodeIndex node) {
  return line_of(shape, butterfly, axis).is_beyond(shape.coordinate(node, axis));
}

CoreLine::CoreLine(Axis axis, int core, int direction)
    : axis_(axis), core_(core), direction_(core == axis.extent ? 1 : direction) {}

// Evenly, so that none is before the first pair and one is behind the last.
int CoreLine::before_pair(int pair) const {
  return static_cast<int>((2 * std::int64_t{pair} + 1) * (axis_.extent - core_) / core_);
}

int CoreLine::position(int index) const {
  if (core_ == axis_.extent) return index;
  return turned(index + before_pair(index / 2));
}

// The last pair that begins there or below.
int CoreLine::pair_at_or_below(int position) const {
  const int pairs = core_ / 2;
  int pair = static_cast<int>(std::int64_t{position} * pairs / axis_.extent);
  while (pair + 1 < pairs && 2 * (pair + 1) + before_pair(pair + 1) <= position) ++pair;
  while (2 * pair + before_pair(pair) > position) --pair;
  return pair;
}

int CoreLine::onto_unturned(int position) const {
  const int pairs = core_ / 2;
  const int pair = pair_at_or_below(position);
  const int last_of_pair = 2 * pair + before_pair(pair) + 1;
  if (position <= last_of_pair) return position;
  const bool behind_all = pair + 1 == pairs;
  if (behind_all && axis_.wraps) return 0;
  const int next_pair = behind_all ? axis_.extent : 2 * (pair + 1) + before_pair(pair + 1);
  return position + 1 == next_pair && !behind_all ? next_pair : last_of_pair;
}

int CoreLine::onto(int position) const {
  if (core_ == axis_.extent) return position;
  return turned(onto_unturned(turned(position)));
}

// Swing's pairs keep parts in turns: 0 1, 1 0, 0 1, … So of two pairs the first have kept different
// parts, and the last have. A core of one pair has no other.
std::pair<int, int> CoreLine::onto_parts(int position) const {
  const int beyond = turned(position);
  const int near = onto_unturned(beyond);
  const auto is_core = [&](int other) {
    if (axis_.wraps) other = (other + axis_.extent) % axis_.extent;
    return other >= 0 && other < axis_.extent && onto_unturned(other) == other;
  };
  const int pair = pair_at_or_below(near);
  const bool is_last = near > 2 * pair + before_pair(pair);
  const int index = 2 * pair + (is_last ? 1 : 0);
  const bool alone = core_ > 2 && is_core(beyond - 1) && is_core(beyond + 1);
  const int other =
      alone ? (index + (is_last ? 2 : core_ - 2)) % core_ : index + (is_last ? -1 : 1);
  return {turned(near), this->position(other)};
}

bool takes_part(const Shape& shape, const Butterfly& butterfly, int step, NodeIndex node) {
  const ButterflyStep& taken = butterfly.steps[static_cast<std::size_t>(step)];
  for (int s = 0; s < butterfly.length(); ++s) {
    const ButterflyStep& fold = butterfly.steps[static_cast<std::size_t>(s)];
    for (const int axis : fold.folded) {
      const bool before_late_fold = fold.late && !taken.is_fold() && taken.axis == axis;
      if ((s < step || before_late_fold) && is_beyond(shape, butterfly, axis, node)) return false;
    }
  }
  return true;
}

namespace {

// All axes at once.
NodeIndex onto_core(const Shape& shape, const Butterfly& butterfly, const ButterflyStep& fold,
                    NodeIndex node) {
  NodeIndex target = node;
  for (const int axis : fold.folded) {
    const int position = shape.coordinate(node, axis);
    target += (line_of(shape, butterfly, axis).onto(position) - position) * shape.stride(axis);
  }
  return target;
}

std::vector<NodeIndex> from_beyond(const Shape& shape, const Butterfly& butterfly,
                                   const ButterflyStep& fold, NodeIndex node) {
  if (onto_core(shape, butterfly, fold, node) != node) return {};
  std::vector<NodeIndex> sources{node};
  for (const int axis : fold.folded) {
    const CoreLine line = line_of(shape, butterfly, axis);
    const int extent = shape.extent(axis);
    const int position = shape.coordinate(node, axis);
    for (const int beside : {(position + extent - 1) % extent, (position + 1) % extent}) {
      if (beside == position || line.onto(beside) != position) continue;
      for (std::size_t next = 0, known = sources.size(); next < known; ++next)
        sources.push_back(sources[next] + (beside - position) * shape.stride(axis));
    }
  }
  sources.erase(sources.begin());
  return sources;
}

// Along the one axis of a late fold.
std::vector<NodeIndex> onto_both(const Shape& shape, const Butterfly& butterfly,
                                 const ButterflyStep& fold, NodeIndex node) {
  const CoreLine line = line_of(shape, butterfly, fold.axis);
  const int position = shape.coordinate(node, fold.axis);
  if (!line.is_beyond(position)) return {};
  const auto [near, other] = line.onto_parts(position);
  const NodeIndex stride = shape.stride(fold.axis);
  return {node + (near - position) * stride, node + (other - position) * stride};
}

std::vector<NodeIndex> from_either_side(const Shape& shape, const Butterfly& butterfly,
                                        const ButterflyStep& fold, NodeIndex node) {
  const int extent = shape.extent(fold.axis);
  const int position = shape.coordinate(node, fold.axis);
  std::vector<NodeIndex> sources;
  for (int there = 0; there < extent; ++there) {
    const int apart = std::abs(there - position);
    if (apart == 0 || std::min(apart, extent - apart) > farthest_fold) continue;
    const NodeIndex source = node + (there - position) * shape.stride(fold.axis);
    const auto onto = onto_both(shape, butterfly, fold, source);
    if (std::ranges::find(onto, node) != onto.end()) sources.push_back(source);
  }
  return sources;
}

}  // namespace

std::vector<NodeIndex> folded_onto(const Shape& shape, const Butterfly& butterfly,
                                   const ButterflyStep& fold, NodeIndex node) {
  if (fold.late) return onto_both(shape, butterfly, fold, node);
  const NodeIndex target = onto_core(shape, butterfly, fold, node);
  return target == node ? std::vector<NodeIndex>{} : std::vector{target};
}

std::vector<NodeIndex> folded_from(const Shape& shape, const Butterfly& butterfly,
                                   const ButterflyStep& fold, NodeIndex node) {
  return fold.late ? from_either_side(shape, butterfly, fold, node)
                   : from_beyond(shape, butterfly, fold, node);
}

int most_folded(const ButterflyStep& fold) {
  return fold.late ? 2 : (1 << fold.folded.size()) - 1;
}

}  // namespace cuboid::detail
