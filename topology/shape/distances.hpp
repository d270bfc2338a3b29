#pragma once

#include <cuboid/shape.hpp>

#include <vector>

namespace cuboid::detail {

/// The node at a given distance from `node`: along every axis, it is as far above `node` as node
/// `distance` is above node 0. All axes count as rings.
NodeIndex node_at(const Shape& shape, NodeIndex node, NodeIndex distance);

/// The node from which `node` is at this distance: node_at(shape, node_before(shape, node,
/// distance), distance) is `node`.
NodeIndex node_before(const Shape& shape, NodeIndex node, NodeIndex distance);

/// The node that is `distance` positions above `node` along one axis, or below it if `distance` is
/// negative. The axis counts as a ring.
NodeIndex node_above(const Shape& shape, int axis, NodeIndex node, int distance);

/// The number of links between two positions along an axis, in the shorter direction.
int links_along(const Axis& axis, int from, int to);

/// True if some axis of several nodes does not wrap.
bool has_line(const Shape& shape);

/// The number of axes with several nodes.
int count_long_axes(const Shape& shape);

/// A shape of one axis, which wraps.
inline Shape ring_of(int nodes) {
  return Shape({{nodes, true}});
}

}  // namespace cuboid::detail
