#pragma once

#include <cuboid/discovery.hpp>

#include "collectives/types/collective.hpp"
#include "tools/measurement/world_network.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail::tools {

/// The number of the line along `axis` that each rank of `network` is in. Ranks whose other
/// coordinates are equal are in one line; lines are numbered from 0. Throws Error(invalid_argument)
/// naming --lines if there is no such axis, or no shape.
std::vector<int> line_of_rank(const std::optional<Discovery>& network, int axis);

/// A group of ranks and its part of a network.
struct BenchGroup {
  const Network& network;
  std::vector<int> node_of_rank;
  bool own_cables_only = false;  ///< those between nodes of the group; others serve other groups
};

/// The upper bound on an operation's rate in the group's network, in bytes of the message per
/// second; nullopt if rates are unknown, or no network is used (see cut_bound.hpp).
std::optional<double> bound_of(Operation operation, int root, const BenchGroup& group);

}  // namespace cuboid::detail::tools
