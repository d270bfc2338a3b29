#include "collectives/rounds/fold.hpp"

#include <cstddef>
#include <cstdint>

namespace cuboid::detail {

namespace {

CoreLine line_of(const Shape& shape, const Butterfly& butterfly, int axis) {
  return {shape.axes()[static_cast<std::size_t>(axis)],
          butterfly.cores[static_cast<std::size_t>(axis)], butterfly.direction};
}

bool is_beyond(const Shape& shape, const Butterfly& butterfly, int axis, NodeIndex node) {
  return line_of(shape, butterfly, axis).is_beyond(shape.coordinate(node, axis));
}

}  // namespace

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

int CoreLine::onto_unturned(int position) const {
  const int pairs = core_ / 2;
  // The last pair that begins at or below the position.
  int pair = static_cast<int>(std::int64_t{position} * pairs / axis_.extent);
  while (pair + 1 < pairs && 2 * (pair + 1) + before_pair(pair + 1) <= position) ++pair;
  while (2 * pair + before_pair(pair) > position) --pair;
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

bool takes_part(const Shape& shape, const Butterfly& butterfly, int steps, NodeIndex node) {
  for (int s = 0; s < steps; ++s) {
    for (const int axis : butterfly.steps[static_cast<std::size_t>(s)].folded)
      if (is_beyond(shape, butterfly, axis, node)) return false;
  }
  return true;
}

NodeIndex folded_onto(const Shape& shape, const Butterfly& butterfly, const ButterflyStep& fold,
                      NodeIndex node) {
  NodeIndex target = node;
  for (const int axis : fold.folded) {
    const int position = shape.coordinate(node, axis);
    target += (line_of(shape, butterfly, axis).onto(position) - position) * shape.stride(axis);
  }
  return target;
}

std::vector<NodeIndex> folded_from(const Shape& shape, const Butterfly& butterfly,
                                   const ButterflyStep& fold, NodeIndex node) {
  if (folded_onto(shape, butterfly, fold, node) != node) return {};
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

int most_folded(const ButterflyStep& fold) {
  return (1 << fold.folded.size()) - 1;
}

}  // namespace cuboid::detail
