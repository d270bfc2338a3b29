#pragma once

#include <cuboid/shape.hpp>

namespace cuboid::detail {

/// The node that lies so far from another along every axis as `distance` does from the first node;
/// all axes are taken for rings.
NodeIndex node_at(const Shape& shape, NodeIndex node, NodeIndex distance);

/// The node from which `node` lies as far as that.
NodeIndex node_before(const Shape& shape, NodeIndex node, NodeIndex distance);

/// The node so far above another along one axis, or below, round the end.
NodeIndex node_above(const Shape& shape, int axis, NodeIndex node, int distance);

/// Links between two positions along an axis, the shorter way.
int links_along(const Axis& axis, int from, int to);

/// True if an axis of several nodes does not wrap.
bool has_line(const Shape& shape);

/// How many axes have several nodes.
int count_long_axes(const Shape& shape);

/// A shape of one axis.
inline Shape ring_of(int nodes) {
  return Shape({{nodes, true}});
}

}  // namespace cuboid::detail
