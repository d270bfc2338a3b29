#pragma once

#include <cuboid/discovery.hpp>
#include <cuboid/network.hpp>
#include <cuboid/shape.hpp>

#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The nodes of a group's ranks.
struct GroupNodes {
  /// The ranks of each node, ascending, at least one. With a shape, nodes are in the order of its
  /// indices; otherwise in the order of their lowest ranks.
  std::vector<std::vector<int>> ranks_of_node;
  /// The box that the nodes fill: a line, a plane, the whole network, … nullopt if they fill
  /// none, or cables in it are missing or slower than their axis.
  std::optional<Shape> shape = {};
  /// The rate of a link along each axis of the shape, where axes of more than one node differ;
  /// empty where they are alike, or one is unknown.
  std::vector<double> axis_bytes_per_second = {};
  double link_bytes_per_second = 0;  ///< of the slowest axis or cable; 0 if it is unknown
  double burst_bytes = 0;  ///< of every link, after a rest, beyond its rate; 0 if it is unknown
  /// The nodes, in this order, and the switches and cables between them; nullopt if these are
  /// not known, or do not connect the nodes.
  std::optional<Network> network = {};

  int nodes() const { return static_cast<int>(ranks_of_node.size()); }
  int ranks() const;
  /// The node of a rank.
  int node_of(int rank) const;
  /// The node of each rank.
  std::vector<int> node_of_rank() const;

  /// Sets the rates of links from those of the shape's axes. An axis whose rate is unknown, 0, is
  /// taken to be as quick as the slowest of the others, and so are then all.
  void set_rates(std::span<const double> by_axis);

  /// All ranks on one node.
  static GroupNodes one_node(int ranks);
  /// Every rank on a node of its own, nothing known of the network between them.
  static GroupNodes apart(int ranks);
};

/// The nodes of a group in the discovered network.
/// @param world_ranks  the group's ranks as numbers of `discovery.node_of_rank`, in the group's
/// order.
GroupNodes nodes_of_group(const Discovery& discovery, std::span<const int> world_ranks);

}  // namespace cuboid::detail
