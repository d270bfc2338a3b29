#pragma once

#include <cuboid/network.hpp>

#include <span>

namespace cuboid::detail {

/// Upper bounds on the rate of a collective, in bytes of the message per second, that no algorithm
/// can exceed: data that must cross a cut of the network is limited by the links of the cut. Nodes
/// that do not take part, and switches, may forward but not combine or copy; remove them from the
/// network if they may not forward (see induced()).
///
/// `hosts` lists the nodes that take part, once per rank or block. Cables carry equally much in
/// both directions, so an operation and its reverse have the same bound. All return 0 if the rate
/// of a link is unknown or hosts are not connected, and infinity if all hosts are the same.

/// Broadcast and reduce: the minimum over the other hosts of the maximum flow from the root
/// (Edmonds 1973; packed_trees() reaches it). Computes H − 1 maximum flows.
double broadcast_bound(const Network& network, int root, std::span<const int> hosts);

/// All-gather and reduce-scatter of one block of equal size per entry of `hosts`; the message is
/// all of them. The bound is the minimum, over all sets of hosts, of the flow out of the set per
/// block that must leave it (ForestColl, arXiv 2402.06787, §4). Newton's method finds it in a few
/// steps of H maximum flows each.
double allgather_bound(const Network& network, std::span<const int> hosts);

/// Gather and scatter: the same over the sets without the root.
double gather_bound(const Network& network, int root, std::span<const int> hosts);

/// All-reduce. All H contributions but one must be sent to be combined, and all hosts but one must
/// receive the result: 2·(H − 1) messages over the links of all hosts, and one message in each
/// direction over every cut (Patarasuk and Yuan 2009). A reduce-scatter followed by an all-gather
/// reaches at most half of the all-gather's bound, which is the same on tori.
double allreduce_bound(const Network& network, std::span<const int> hosts);

/// All-to-all; the message is what one rank sends. The minimum over all cuts is hard to find, so
/// the bound considers cuts around single nodes, and all links together: every block crosses at
/// least the links of a shortest path. On tori of equal extents the bound is tight.
double alltoall_bound(const Network& network, std::span<const int> hosts);

}  // namespace cuboid::detail
