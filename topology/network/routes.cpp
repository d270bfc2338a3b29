#include "topology/network/routes.hpp"

#include <cuboid/error.hpp>

#include <deque>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

Routes Routes::dimension_ordered(const Shape& shape, std::span<const double> bytes_per_second) {
  Routes routes(Network::of_shape(shape, bytes_per_second));
  routes.shape_ = shape;
  const auto axes = static_cast<std::size_t>(shape.dimensions());
  routes.link_of_hop_.assign(2 * static_cast<std::size_t>(shape.nodes()) * axes, -1);
  // Numbers the cables in the order in which of_shape() adds them.
  int cable = 0;
  for (NodeIndex node = 0; node < shape.nodes(); ++node) {
    for (int axis = 0; axis < shape.dimensions(); ++axis) {
      const NodeIndex next = shape.neighbour(node, axis, +1);
      if (next < 0) continue;
      const auto forth = static_cast<std::size_t>(link_number(shape, {node, axis, +1}));
      const auto back = static_cast<std::size_t>(link_number(shape, {next, axis, -1}));
      routes.link_of_hop_[forth] = 2 * cable;
      routes.link_of_hop_[back] = 2 * cable + 1;
      ++cable;
    }
  }
  return routes;
}

Routes Routes::shortest(Network network) {
  return Routes(std::move(network));
}

void Routes::append(int from, int to, std::vector<int>& links, HalfWay half_way) const {
  const auto inside = [&](int node) { return node >= 0 && node < network_.nodes(); };
  if (!inside(from) || !inside(to)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("route from node {} to node {}: the network has nodes 0 to {}", from,
                            to, network_.nodes() - 1));
  }
  if (shape_) {
    append_ordered(from, to, links, half_way);
    return;
  }
  append_shortest(from, to, links);
}

void Routes::append_ordered(int from, int to, std::vector<int>& links, HalfWay half_way) const {
  std::vector<Hop> hops;
  append_route(*shape_, from, to, hops, half_way);
  for (const Hop& hop : hops)
    links.push_back(link_of_hop_[static_cast<std::size_t>(link_number(*shape_, hop))]);
}

// Searches breadth first from the destination. The links of a cable have the numbers 2i and 2i + 1.
void Routes::append_shortest(int from, int to, std::vector<int>& links) const {
  std::vector<int> next(static_cast<std::size_t>(network_.nodes()), -1);
  std::deque<int> reached = {to};
  while (!reached.empty() && from != to && next[static_cast<std::size_t>(from)] < 0) {
    const int node = reached.front();
    reached.pop_front();
    for (const int outgoing : network_.links_from(node)) {
      const int neighbour = network_.links()[static_cast<std::size_t>(outgoing)].to;
      int& link = next[static_cast<std::size_t>(neighbour)];
      if (neighbour == to || link >= 0) continue;
      link = outgoing ^ 1;
      reached.push_back(neighbour);
    }
  }
  while (from != to) {
    const int link = next[static_cast<std::size_t>(from)];
    if (link < 0) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("no path from {} to {}", network_.name(from), network_.name(to)));
    }
    links.push_back(link);
    from = network_.links()[static_cast<std::size_t>(link)].to;
  }
}

}  // namespace cuboid::detail
