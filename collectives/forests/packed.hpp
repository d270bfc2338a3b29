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
  double bytes_per_second = 0;  ///< what it carries
};

/// Trees out of each root, the same number of bytes per second from all, that together load no link
/// of the network beyond its rate: on any network, tori with holes, fat trees, dragonflies. At most
/// `most_trees` per root, and of all packings in which these carry equal parts or multiples of
/// them, one that carries most. With one root and links all alike these are as many edge-disjoint
/// trees as the least cut between the root and another host has links, and reach
/// broadcast_bound(); with all hosts as roots, in many cases allgather_bound(). Trees grow breadth
/// first, so that they are shallow, and are the same on every call.
///
/// The hosts are nodes 0 to H − 1, with switches behind them (see induced()); where a rate is not
/// known, all links count as 1 byte per second. Throws Error(invalid_argument) for other orders of
/// nodes, and where hosts are not connected. A single host has no trees.
///
/// Sources: Edmonds 1973, Lovász 1976 (see grow_arborescences()); the unit of what trees carry, and
/// how switches are dealt with: ForestColl, arXiv 2402.06787 (see split_off_switches()). Cost:
/// about 2·H greatest flows for a single root, then as grow_arborescences().
std::vector<PackedTree> packed_trees(const Network& network, std::span<const int> roots,
                                     int most_trees = 32);

/// The same nodes with one cable at most between two of them, as quick as all that there are
/// together. Where the rate of any is not known, all count as 1 byte per second.
Network simplified(const Network& network);

}  // namespace cuboid::detail
