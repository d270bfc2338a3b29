#pragma once

#include <cuboid/discovery.hpp>
#include <cuboid/network.hpp>
#include <cuboid/shape.hpp>

#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The nodes that the ranks of a group are on.
struct GroupNodes {
  /// By node, its ranks in ascending order; at least one each. Where there is a shape, nodes are
  /// its places in order; else they come in the order of their lowest ranks.
  std::vector<std::vector<int>> ranks_of_node;
  /// The box that the nodes fill: a line, a plane, the whole network, … nullopt where they fill
  /// none, or cables are missing.
  std::optional<Shape> shape = {};
  double link_bytes_per_second = 0;  ///< of the slowest axis or cable; 0 where it is not known
  /// The nodes, in this order, and the switches and cables between them; nullopt where these are
  /// not known, or do not connect the nodes.
  std::optional<Network> network = {};

  int nodes() const { return static_cast<int>(ranks_of_node.size()); }
  int ranks() const;
  /// The node of each rank.
  std::vector<int> node_of_rank() const;

  /// All ranks on one node.
  static GroupNodes one_node(int ranks);
  /// Every rank on a node of its own, nothing known of the network between them.
  static GroupNodes apart(int ranks);
};

/// Where a group lies in the network that was discovered.
/// @param world_ranks  the group's ranks as numbers of `discovery.node_of_rank`, in the group's
/// order.
GroupNodes nodes_of_group(const Discovery& discovery, std::span<const int> world_ranks);

}  // namespace cuboid::detail
