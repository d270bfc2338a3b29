#pragma once

#include <cuboid/shape.hpp>

#include <vector>

namespace cuboid::detail {

/// One link of a route: the link that leaves a node along an axis, in direction +1 or -1.
struct Hop {
  NodeIndex from = 0;
  int axis = 0;
  int direction = +1;
  bool operator==(const Hop&) const = default;
};

/// The number of hops along one axis from one position to another, in the shorter direction, with
/// the sign of the direction. If both directions are equally long, the sign is +.
int steps_along(const Shape& shape, int axis, int from, int to);

/// Selects one of the two directions to the position half-way round an even ring.
enum class HalfWay {
  upwards,
  /// Up from one position, down from the next one, and the other way round on the next line.
  in_turn,
  the_other,  ///< the opposite of in_turn
};

/// The number of hops along one axis of a dimension-ordered route, with the sign of the direction.
/// @param others  the sum of the destination's positions on all other axes.
int steps_of_route(const Shape& shape, int axis, int from, int to, int others, HalfWay half_way);

/// Appends the hops of the dimension-ordered route: axis 0 first, then axis 1, and so on, each in
/// the shorter direction. Throws Error(invalid_argument) for nodes outside the shape.
void append_route(const Shape& shape, NodeIndex from, NodeIndex to, std::vector<Hop>& hops,
                  HalfWay half_way = HalfWay::upwards);

/// A number for each link of a shape: 2 * (node * axes + axis) + (direction < 0).
NodeIndex link_number(const Shape& shape, const Hop& hop);

}  // namespace cuboid::detail
