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
  /// By node, its ranks in ascending order, at least one. With a shape, nodes are in the order of
  /// the shape's indices; otherwise in the order of their lowest ranks.
  std::vector<std::vector<int>> ranks_of_node;
  /// The box that the nodes fill: a line, a plane, the whole network, … nullopt if they fill no
  /// box, or if a cable in it is missing or slower than the other cables of its axis.
  std::optional<Shape> shape = {};
  /// By axis of the shape, the rate of its links. Empty if all axes with more than one node have
  /// the same rate, or if a rate is unknown.
  std::vector<double> axis_bytes_per_second = {};
  double link_bytes_per_second = 0;  ///< the rate of the slowest axis or cable; 0: unknown
  double burst_bytes =
      0;  ///< what a link lets pass at once after a rest, beyond its rate; 0: unknown
  /// The nodes, in this order, with the switches and cables between them; nullopt if these are not
  /// known, or do not connect the nodes.
  std::optional<Network> network = {};

  int nodes() const { return static_cast<int>(ranks_of_node.size()); }
  int ranks() const;
  /// The node of a rank.
  int node_of(int rank) const;
  /// The node of each rank.
  std::vector<int> node_of_rank() const;

  /// Sets the rates of links from the rates of the shape's axes. If the rate of some axis is
  /// unknown (0), all axes are taken to have the slowest known rate.
  void set_rates(std::span<const double> by_axis);

  /// All ranks on one node.
  static GroupNodes one_node(int ranks);
  /// Every rank on a node of its own; nothing is known of the network between the nodes.
  static GroupNodes apart(int ranks);
};

/// The nodes of a group in the discovered network.
/// @param world_ranks  the group's ranks, in the group's order, as indices of
///                     `discovery.node_of_rank`.
GroupNodes nodes_of_group(const Discovery& discovery, std::span<const int> world_ranks);

}  // namespace cuboid::detail
