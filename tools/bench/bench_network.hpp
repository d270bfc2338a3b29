#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/discovery.hpp>

#include "collectives/types/collective.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail::tools {

/// What network the ranks are on; nullopt where they share a node and CUBOID_TOPOLOGY gives them
/// none to imitate. Collective.
std::optional<Discovery> network_of(const Communicator& world);

/// The line along `axis` that each rank of `network` is in: equal numbers where all other
/// coordinates are equal, from 0 without gaps. Throws Error(invalid_argument) naming --lines where
/// there is no such axis, or no shape.
std::vector<int> line_of_rank(const std::optional<Discovery>& network, int axis);

/// A group of ranks and the part of a network that is theirs.
struct BenchGroup {
  const Network& network;
  std::vector<int> node_of_rank;
  bool own_cables_only = false;  ///< those between nodes of the group; others serve other groups
};

/// The bytes of a message per second that the group's network allows an operation to move; nullopt
/// where rates are not known, or no network is used (see cut_bound.hpp).
std::optional<double> bound_of(Operation operation, int root, const BenchGroup& group);

}  // namespace cuboid::detail::tools
