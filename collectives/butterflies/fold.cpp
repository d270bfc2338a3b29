#include "collectives/butterflies/fold.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace cuboid::detail {

namespace {

CoreLine line_of(const Shape& shape, const Butterfly& butterfly, int axis) {
  return {shape.axes()[static_cast<std::size_t>(axis)],
          butterfly.cores[static_cast<std::size_t>(axis)], butterfly.direction};
}

}  // namespace

bool is_surplus(const Shape& shape, const Butterfly& butterfly, int axis, NodeIndex node) {
  return line_of(shape, butterfly, axis).is_surplus(shape.coordinate(node, axis));
}

CoreLine::CoreLine(Axis axis, int core, int direction)
    : axis_(axis), core_(core), direction_(core == axis.extent ? 1 : direction) {}

// The number of surplus positions before a pair: evenly spread, none before the first pair and at
// least one behind the last.
int CoreLine::before_pair(int pair) const {
  return static_cast<int>((2 * std::int64_t{pair} + 1) * (axis_.extent - core_) / core_);
}

int CoreLine::position(int index) const {
  if (core_ == axis_.extent) return index;
  return turned(index + before_pair(index / 2));
}

// The last pair that begins at or below a position.
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

bool takes_part(const Shape& shape, const Butterfly& butterfly, int step, NodeIndex node) {
  const ButterflyStep& taken = butterfly.steps[static_cast<std::size_t>(step)];
  for (int s = 0; s < butterfly.length(); ++s) {
    const ButterflyStep& fold = butterfly.steps[static_cast<std::size_t>(s)];
    for (const int axis : fold.folded) {
      const bool before_its_fold = fold.is_overlapped() && !taken.is_fold() && taken.axis == axis;
      if ((s < step || before_its_fold) && is_surplus(shape, butterfly, axis, node)) return false;
    }
  }
  return true;
}

namespace {

// The node of the core that takes over from `node`, along all folded axes at once.
NodeIndex onto_core(const Shape& shape, const Butterfly& butterfly, const ButterflyStep& fold,
                    NodeIndex node) {
  NodeIndex target = node;
  for (const int axis : fold.folded) {
    const int position = shape.coordinate(node, axis);
    target += (line_of(shape, butterfly, axis).onto(position) - position) * shape.stride(axis);
  }
  return target;
}

std::vector<NodeIndex> from_surplus(const Shape& shape, const Butterfly& butterfly,
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

// The other nodes on a node's line along the axis of a fold for which `meets(there, position)`
// holds.
template <class Meets>
std::vector<NodeIndex> on_line(const Shape& shape, const ButterflyStep& fold, NodeIndex node,
                               const Meets& meets) {
  const int position = shape.coordinate(node, fold.axis);
  std::vector<NodeIndex> nodes;
  for (int there = 0; there < shape.extent(fold.axis); ++there) {
    if (there != position && meets(there, position))
      nodes.push_back(node + (there - position) * shape.stride(fold.axis));
  }
  return nodes;
}

}  // namespace

std::vector<NodeIndex> folded_onto(const Shape& shape, const Butterfly& butterfly,
                                   const ButterflyStep& fold, NodeIndex node) {
  if (fold.is_overlapped()) {
    return on_line(shape, fold, node,
                   [&](int there, int position) { return fold.takes_over(there, position); });
  }
  const NodeIndex target = onto_core(shape, butterfly, fold, node);
  return target == node ? std::vector<NodeIndex>{} : std::vector{target};
}

std::vector<NodeIndex> folded_from(const Shape& shape, const Butterfly& butterfly,
                                   const ButterflyStep& fold, NodeIndex node) {
  if (fold.is_overlapped()) {
    return on_line(shape, fold, node,
                   [&](int there, int position) { return fold.takes_over(position, there); });
  }
  return from_surplus(shape, butterfly, fold, node);
}

int most_folded(const ButterflyStep& fold) {
  if (!fold.is_overlapped()) return (1 << fold.folded.size()) - 1;
  std::vector<int> taken(fold.member.size(), 0);
  int most = 0;
  for (const int taker : fold.member) {
    if (taker >= 0) most = std::max(most, ++taken[static_cast<std::size_t>(taker)]);
  }
  return most;
}

namespace {

// The part of a message that each core position keeps after the steps of a butterfly along an axis.
struct KeptParts {
  int all = 1;
  std::vector<int> at;  // the part that a core position keeps, by position
};

KeptParts kept_parts(const Butterfly& butterfly, int axis, int extent) {
  KeptParts parts{1, std::vector<int>(static_cast<std::size_t>(extent), 0)};
  for (const ButterflyStep& step : butterfly.steps) {
    if (step.axis != axis || step.is_fold()) continue;
    for (std::size_t position = 0; position < parts.at.size(); ++position)
      parts.at[position] = parts.at[position] * step.radix + step.digit[position];
    parts.all *= step.radix;
  }
  return parts;
}

}  // namespace

ButterflyStep overlapped_fold(const Shape& shape, const Butterfly& butterfly, int axis) {
  const int extent = shape.extent(axis);
  const CoreLine line = line_of(shape, butterfly, axis);
  const KeptParts kept = kept_parts(butterfly, axis, extent);
  ButterflyStep fold{axis, 1, {}, {}, {axis}, kept.all};
  fold.member.assign(static_cast<std::size_t>(extent * kept.all), -1);
  for (int position = 0; position < extent; ++position) {
    if (!line.is_surplus(position)) continue;
    const auto takers = std::span(fold.member)
                            .subspan(static_cast<std::size_t>(position * kept.all),
                                     static_cast<std::size_t>(kept.all));
    int below = 0, above = 0, found = 0;  // takers
    const auto ask = [&](int there, int& on_this_side) {
      if (shape.wraps(axis)) there = (there + extent) % extent;
      if (there < 0 || there >= extent || line.is_surplus(there)) return;
      int& taker = takers[static_cast<std::size_t>(kept.at[static_cast<std::size_t>(there)])];
      if (taker >= 0) return;
      taker = there;
      ++on_this_side;
      ++found;
    };
    for (int distance = 1; found < kept.all; ++distance) {
      const bool above_first = above < below;
      if (above_first) ask(position + distance, above);
      ask(position - distance, below);
      if (!above_first) ask(position + distance, above);
    }
  }
  return fold;
}

}  // namespace cuboid::detail
