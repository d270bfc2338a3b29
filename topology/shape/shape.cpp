#include <cuboid/error.hpp>
#include <cuboid/shape.hpp>

#include "topology/shape/distances.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace cuboid {
namespace {

std::vector<Axis> axes_of(std::span<const int> extents, bool wraps) {
  std::vector<Axis> axes;
  for (const int extent : extents) axes.push_back({extent, wraps});
  return axes;
}

}  // namespace

Shape::Shape(std::vector<Axis> axes) : axes_(std::move(axes)) {
  if (dimensions() > max_axes) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a shape has at most {} axes, not {}", max_axes, dimensions()));
  }
  NodeIndex nodes = 1;
  for (const Axis& axis : axes_) {
    if (axis.extent < 1) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("an axis has at least one node, not {}", axis.extent));
    }
    nodes *= axis.extent;
    if (nodes > std::numeric_limits<std::int32_t>::max()) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("a shape has at most 2^31 - 1 nodes; {} has more", to_string()));
    }
  }
}

Shape Shape::torus(std::span<const int> extents) {
  return Shape(axes_of(extents, true));
}

Shape Shape::mesh(std::span<const int> extents) {
  return Shape(axes_of(extents, false));
}

Shape Shape::hypercube(int dimensions) {
  if (dimensions < 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a hypercube has no {} dimensions", dimensions));
  }
  return Shape(std::vector<Axis>(static_cast<std::size_t>(dimensions), Axis{2, false}));
}

NodeIndex Shape::nodes() const {
  NodeIndex nodes = 1;
  for (const Axis& axis : axes_) nodes *= axis.extent;
  return nodes;
}

NodeIndex Shape::stride(int axis) const {
  NodeIndex stride = 1;
  for (int later = axis + 1; later < dimensions(); ++later) stride *= extent(later);
  return stride;
}

Coordinate Shape::coordinate(NodeIndex node) const {
  if (node < 0 || node >= nodes()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("node {} is not in {} ({} nodes)", node, to_string(), nodes()));
  }
  Coordinate coordinate(axes_.size());
  for (std::size_t axis = axes_.size(); axis-- > 0;) {
    coordinate[axis] = static_cast<int>(node % axes_[axis].extent);
    node /= axes_[axis].extent;
  }
  return coordinate;
}

NodeIndex Shape::index(std::span<const int> coordinate) const {
  const auto inside = [](int position, const Axis& axis) {
    return position >= 0 && position < axis.extent;
  };
  if (!std::ranges::equal(coordinate, axes_, inside)) {
    throw Error(ErrorCode::invalid_argument, fmt::format("coordinate ({}) is not in {}",
                                                         fmt::join(coordinate, ","), to_string()));
  }
  NodeIndex node = 0;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    node = node * axes_[axis].extent + coordinate[axis];
  }
  return node;
}

NodeIndex Shape::neighbour(NodeIndex node, int axis, int direction) const {
  const NodeIndex step = stride(axis);
  const int size = extent(axis);
  const int from = static_cast<int>(node / step % size);
  const int to = from + direction;
  if (to >= 0 && to < size) return node + direction * step;
  if (!wraps(axis) || size == 1) return -1;
  return node + ((to + size) % size - from) * step;
}

int Shape::distance(NodeIndex from, NodeIndex to) const {
  int cables = 0;
  for (std::size_t axis = axes_.size(); axis-- > 0;) {
    const int size = axes_[axis].extent;
    cables += detail::links_along(axes_[axis], static_cast<int>(from % size),
                                  static_cast<int>(to % size));
    from /= size;
    to /= size;
  }
  return cables;
}

std::int64_t Shape::cables() const {
  std::int64_t cables = 0;
  for (const Axis& axis : axes_) {
    const int on_one_line = axis.wraps && axis.extent > 1 ? axis.extent : axis.extent - 1;
    cables += nodes() / axis.extent * on_one_line;
  }
  return cables;
}

std::string Shape::to_string() const {
  if (axes_.empty()) return "node";
  std::string text;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (axis > 0 && axes_[axis].wraps == axes_[axis - 1].wraps) {
      text += 'x';
    } else {
      if (axis > 0) text += ',';
      text += axes_[axis].wraps ? "torus:" : "mesh:";
    }
    text += std::to_string(axes_[axis].extent);
  }
  return text;
}

}  // namespace cuboid
