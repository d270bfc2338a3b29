#include "topology/network/shape_bounds.hpp"

#include <algorithm>
#include <limits>

namespace cuboid::detail {

namespace {

constexpr double no_bound = std::numeric_limits<double>::infinity();

// Of a corner, where node 0 lies.
double links_of_corner(const Shape& shape) {
  double links = 0;
  for (const Axis& axis : shape.axes())
    if (axis.extent > 1) links += axis.wraps ? 2 : 1;
  return links;
}

// What leaves the first layer of an axis, and how many nodes it has: calls `visit` with both.
template <class Visit>
void for_each_layer(const Shape& shape, const Visit& visit) {
  for (const Axis& axis : shape.axes()) {
    if (axis.extent == 1) continue;
    const double nodes = static_cast<double>(shape.nodes()) / axis.extent;
    visit((axis.wraps ? 2 : 1) * nodes, nodes);
  }
}

double fewest_links(const Shape& shape) {
  double links = links_of_corner(shape);
  for_each_layer(shape, [&](double cut, double) { links = std::min(links, cut); });
  return links;
}

double blocks_bound(const Shape& shape, double rate) {
  const auto nodes = static_cast<double>(shape.nodes());
  if (nodes <= 1) return no_bound;
  double bound = links_of_corner(shape) * rate * nodes / (nodes - 1);
  for_each_layer(shape, [&](double cut, double inside) {
    bound = std::min(bound, cut * rate * nodes / (nodes - inside));
  });
  return bound;
}

}  // namespace

double broadcast_bound(const Shape& shape, double rate) {
  return shape.nodes() > 1 ? fewest_links(shape) * rate : no_bound;
}

double allgather_bound(const Shape& shape, double rate) {
  return blocks_bound(shape, rate);
}

double gather_bound(const Shape& shape, double rate) {
  return blocks_bound(shape, rate);
}

double allreduce_bound(const Shape& shape, double rate) {
  if (shape.nodes() == 1) return no_bound;
  const double links = 2 * static_cast<double>(shape.cables());
  const double messages = 2 * (static_cast<double>(shape.nodes()) - 1);
  return std::min(broadcast_bound(shape, rate), rate * links / messages);
}

double alltoall_bound(const Shape& shape, double rate) {
  double bound = blocks_bound(shape, rate);
  for (const Axis& axis : shape.axes()) {
    if (axis.extent == 1) continue;
    const int half = axis.extent / 2;
    const double pairs = static_cast<double>(half) * (axis.extent - half);
    bound = std::min(bound, rate * (axis.wraps ? 2 : 1) * axis.extent / pairs);
  }
  return bound;
}

}  // namespace cuboid::detail
