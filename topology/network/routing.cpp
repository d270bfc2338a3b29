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

int steps_of_route(const Shape& shape, int axis, int from, int to, int others, HalfWay half_way) {
  const int steps = steps_along(shape, axis, from, to);
  const bool either = shape.wraps(axis) && 2 * steps == shape.extent(axis);
  if (!either || half_way == HalfWay::upwards) return steps;
  const bool down_in_turn = (from + others) % 2 != 0;
  return down_in_turn == (half_way == HalfWay::in_turn) ? -steps : steps;
}

void append_route(const Shape& shape, NodeIndex from, NodeIndex to, std::vector<Hop>& hops,
                  HalfWay half_way) {
  const Coordinate start = shape.coordinate(from);
  const Coordinate end = shape.coordinate(to);
  const int destination = std::reduce(end.begin(), end.end());
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const int steps = steps_of_route(shape, axis, start[a], end[a], destination - end[a], half_way);
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
