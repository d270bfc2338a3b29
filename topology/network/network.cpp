#include <cuboid/error.hpp>
#include <cuboid/network.hpp>

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace cuboid {

int Network::add_node(std::string name, Role role) {
  if (name.empty()) throw Error(ErrorCode::invalid_argument, "a node needs a name");
  const auto [position, added] = numbers_.try_emplace(name, nodes());
  if (!added) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("node {} exists already; names must differ", name));
  }
  names_.push_back(std::move(name));
  roles_.push_back(role);
  outgoing_.emplace_back();
  return position->second;
}

void Network::add_cable(int a, int b, double bytes_per_second) {
  for (const int end : {a, b}) {
    if (end < 0 || end >= nodes()) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("a cable ends at node {}, but nodes are 0 to {}", end, nodes() - 1));
    }
  }
  if (a == b) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a cable joins two nodes; both ends are {}", name(a)));
  }
  if (!std::isfinite(bytes_per_second) || bytes_per_second < 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the cable {} - {} cannot carry {} bytes per second", name(a), name(b),
                            bytes_per_second));
  }
  if (links_.size() > std::numeric_limits<int>::max() - 2) {
    throw Error(ErrorCode::invalid_argument, "a network has at most 2^30 - 1 cables");
  }
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
    outgoing_[static_cast<std::size_t>(from)].push_back(static_cast<int>(links_.size()));
    links_.push_back({from, to, bytes_per_second});
  }
}

std::optional<int> Network::find(std::string_view name) const {
  const auto position = numbers_.find(name);
  if (position == numbers_.end()) return std::nullopt;
  return position->second;
}

Network Network::of_shape(const Shape& shape, std::span<const double> bytes_per_second) {
  const int axes = shape.dimensions();
  if (!bytes_per_second.empty() && std::cmp_not_equal(bytes_per_second.size(), axes)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} has {} axes, but {} rates were given", shape.to_string(), axes,
                            bytes_per_second.size()));
  }
  // A node with its cables takes about 1 KiB in the network, and again about 1 KiB when the network
  // is recognised.
  constexpr NodeIndex most_nodes = NodeIndex{1} << 20;
  if (shape.nodes() > most_nodes) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{} has {} nodes, and a network is described cable by cable up to {} of "
                    "them: give a smaller shape",
                    shape.to_string(), shape.nodes(), most_nodes));
  }
  Network network;
  for (NodeIndex node = 0; node < shape.nodes(); ++node) {
    network.add_node(axes == 0 ? "node"
                               : fmt::format("{}", fmt::join(shape.coordinate(node), ",")));
  }
  for (NodeIndex node = 0; node < shape.nodes(); ++node) {
    for (int axis = 0; axis < axes; ++axis) {
      const NodeIndex next = shape.neighbour(node, axis, +1);
      if (next < 0) continue;
      const double rate =
          bytes_per_second.empty() ? 0 : bytes_per_second[static_cast<std::size_t>(axis)];
      network.add_cable(static_cast<int>(node), static_cast<int>(next), rate);
    }
  }
  return network;
}

}  // namespace cuboid
