#pragma once

#include <cuboid/discovery.hpp>

#include "collectives/types/collective.hpp"
#include "tools/measurement/world_network.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail::tools {

/// The number of each rank's line along `axis`. Ranks that differ only in this coordinate are in
/// one line; lines are numbered from 0. Throws Error(invalid_argument) naming --lines if there is
/// no such axis or the network's shape is unknown.
std::vector<int> line_of_rank(const std::optional<Discovery>& network, int axis);

/// A group of ranks and its part of a network.
struct BenchGroup {
  const Network& network;
  std::vector<int> node_of_rank;
  bool own_cables_only =
      false;  ///< only cables between nodes of the group count; the others serve other groups
};

/// The upper bound on an operation's rate in the group's network, in bytes of the message per
/// second, for links without bursts; nullopt if the rates are unknown or the group uses no network
/// (see cut_bound.hpp).
std::optional<double> bound_of(Operation operation, int root, const BenchGroup& group);

/// The seconds by which bursts of its links may shorten an operation: a burst at the rate of the
/// slowest link; 0 if the network has no bursts. All rates must be known. See burst_bound.hpp.
double head_start_of(const Discovery& network);

}  // namespace cuboid::detail::tools
