#include "topology/network/routing.hpp"

#include <cstdlib>

namespace cuboid::detail {

int steps_along(const Shape& shape, int axis, int from, int to) {
  if (!shape.wraps(axis)) return to - from;
  const int extent = shape.extent(axis);
  const int upwards = (to - from + extent) % extent;
  return 2 * upwards > extent ? upwards - extent : upwards;
}

void append_route(const Shape& shape, NodeIndex from, NodeIndex to, std::vector<Hop>& hops) {
  const Coordinate start = shape.coordinate(from);
  const Coordinate end = shape.coordinate(to);
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const int steps = steps_along(shape, axis, start[a], end[a]);
    const int direction = steps > 0 ? +1 : -1;
    for (int step = 0; step < std::abs(steps); ++step) {
      hops.push_back({from, axis, direction});
      from = shape.neighbour(from, axis, direction);
    }
  }
}

NodeIndex link_number(const Shape& shape, const Hop& hop) {
  return 2 * (hop.from * shape.dimensions() + hop.axis) + (hop.direction < 0 ? 1 : 0);
}

}  // namespace cuboid::detail
