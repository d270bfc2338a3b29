#include "collectives/rounds/fold.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cuboid::detail {

namespace {

CoreLine line_of(const Shape& shape, const Butterfly& butterfly, int axis) {
  return {shape.extent(axis), butterfly.cores[static_cast<std::size_t>(axis)]};
}

bool is_beyond(const Shape& shape, const Butterfly& butterfly, int axis, NodeIndex node) {
  return line_of(shape, butterfly, axis).is_beyond(shape.coordinate(node, axis));
}

}  // namespace

int CoreLine::position(int index) const {
  if (core_ == extent_) return index;
  return static_cast<int>(std::int64_t{index} * (extent_ - 1) / (core_ - 1));
}

bool CoreLine::is_beyond(int position) const {
  if (core_ == extent_) return false;
  const std::int64_t index =
      (std::int64_t{position} * (core_ - 1) + extent_ - 2) / (extent_ - 1);  // rounded up
  return this->position(static_cast<int>(index)) != position;
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
  NodeIndex move = 0;
  bool even = true;
  for (const int axis : fold.folded) {
    if (!is_beyond(shape, butterfly, axis, node)) continue;
    move += shape.stride(axis);
    even = !even;
  }
  return node + (even ? -butterfly.direction : butterfly.direction) * move;
}

std::vector<NodeIndex> folded_from(const Shape& shape, const Butterfly& butterfly,
                                   const ButterflyStep& fold, NodeIndex node) {
  std::vector<NodeIndex> sources;
  for (const int direction : {butterfly.direction, -butterfly.direction}) {
    std::vector<NodeIndex> found{node};
    for (const int axis : fold.folded) {
      const int source = shape.coordinate(node, axis) - direction;
      if (source < 0 || source >= shape.extent(axis)) continue;
      if (!line_of(shape, butterfly, axis).is_beyond(source)) continue;
      for (std::size_t next = 0, known = found.size(); next < known; ++next)
        found.push_back(found[next] - direction * shape.stride(axis));
    }
    for (const NodeIndex source : found) {
      if (source != node && folded_onto(shape, butterfly, fold, source) == node)
        sources.push_back(source);
    }
  }
  return sources;
}

int most_folded(const Shape& shape, const Butterfly& butterfly, const ButterflyStep& fold) {
  const bool sparse = std::ranges::all_of(
      fold.folded, [&](int axis) { return line_of(shape, butterfly, axis).is_sparse(); });
  const int neighbours = 1 << fold.folded.size();
  return sparse ? neighbours / 2 : neighbours - 1;
}

}  // namespace cuboid::detail
