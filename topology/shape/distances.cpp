#include "topology/shape/distances.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace cuboid::detail {

namespace {

NodeIndex moved(const Shape& shape, NodeIndex node, NodeIndex distance, int direction) {
  NodeIndex there = 0;
  NodeIndex stride = 1;
  for (int axis = shape.dimensions() - 1; axis >= 0; --axis) {
    const int extent = shape.extent(axis);
    there += (node % extent + extent + direction * (distance % extent)) % extent * stride;
    node /= extent;
    distance /= extent;
    stride *= extent;
  }
  return there;
}

}  // namespace

NodeIndex node_at(const Shape& shape, NodeIndex node, NodeIndex distance) {
  return moved(shape, node, distance, +1);
}

NodeIndex node_before(const Shape& shape, NodeIndex node, NodeIndex distance) {
  return moved(shape, node, distance, -1);
}

NodeIndex node_above(const Shape& shape, int axis, NodeIndex node, int distance) {
  const int extent = shape.extent(axis);
  const NodeIndex stride = shape.stride(axis);
  const auto here = static_cast<int>(node / stride % extent);
  const int there = ((here + distance) % extent + extent) % extent;
  return node + (there - here) * stride;
}

int links_along(const Axis& axis, int from, int to) {
  const int apart = std::abs(to - from);
  return axis.wraps ? std::min(apart, axis.extent - apart) : apart;
}

bool has_line(const Shape& shape) {
  return std::ranges::any_of(shape.axes(),
                             [](const Axis& axis) { return axis.extent > 1 && !axis.wraps; });
}

int count_long_axes(const Shape& shape) {
  return static_cast<int>(
      std::ranges::count_if(shape.axes(), [](const Axis& axis) { return axis.extent > 1; }));
}

}  // namespace cuboid::detail
