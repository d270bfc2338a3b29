#pragma once

#include <cuboid/network.hpp>

#include "collectives/schedules/forest.hpp"

#include <span>
#include <vector>

namespace cuboid::detail {

/// A spanning tree of a network's hosts, from its root outwards.
struct PackedTree {
  int root = 0;
  std::vector<Edge> edges = {};
  double bytes_per_second = 0;  ///< the bytes per second that the tree carries
};

/// Packs trees out of each root that together load no link of the network beyond its rate. All
/// roots get the same rate. This works on any network: tori with holes, fat trees, dragonflies.
/// There are at most `most_trees` per root; of all packings whose trees carry multiples of one
/// unit, this is one that carries most. With one root and equal links there are as many
/// edge-disjoint trees as the least cut between the root and another host has links, and they reach
/// broadcast_bound(). With all hosts as roots they often reach allgather_bound(). Trees grow
/// breadth first, so they are shallow. The result is the same on every call.
///
/// The hosts are nodes 0 to H − 1, and the switches follow (see induced()). If some rate is
/// unknown, all links count as 1 byte per second. Throws Error(invalid_argument) if nodes have
/// another order or hosts are not connected. A single host has no trees.
///
/// Sources: Edmonds 1973, Lovász 1976 (see grow_arborescences()); for the unit of what trees carry,
/// and for switches: ForestColl, arXiv 2402.06787 (see split_off_switches()). Takes about 2·H
/// maximum flows for a single root, then as long as grow_arborescences().
std::vector<PackedTree> packed_trees(const Network& network, std::span<const int> roots,
                                     int most_trees = 32);

/// The same network with at most one cable between two nodes, which is as fast as all their cables
/// together. If some rate is unknown, all links count as 1 byte per second.
Network simplified(const Network& network);

}  // namespace cuboid::detail
