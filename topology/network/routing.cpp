#include "topology/network/routing.hpp"

#include <cstdlib>
#include <numeric>

namespace cuboid::detail {

int steps_along(const Shape& shape, int axis, int from, int to) {
  if (!shape.wraps(axis)) return to - from;
  const int extent = shape.extent(axis);
  const int upwards = (to - from + extent) % extent;
  return 2 * upwards > extent ? upwards - extent : upwards;
}

void append_route(const Shape& shape, NodeIndex from, NodeIndex to, std::vector<Hop>& hops,
                  HalfWay half_way) {
  const Coordinate start = shape.coordinate(from);
  const Coordinate end = shape.coordinate(to);
  const int destination = std::reduce(end.begin(), end.end());
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    int steps = steps_along(shape, axis, start[a], end[a]);
    if (half_way != HalfWay::upwards && shape.wraps(axis) && 2 * steps == shape.extent(axis)) {
      const bool down_in_turn = (start[a] + destination - end[a]) % 2 != 0;
      if (down_in_turn == (half_way == HalfWay::in_turn)) steps = -steps;
    }
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
