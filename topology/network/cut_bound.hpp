#pragma once

#include <cuboid/network.hpp>

#include <span>

namespace cuboid::detail {

/// The bytes of a message per second that no collective can exceed on a network, because some cut
/// carries no more: whatever the algorithm, what must cross a cut takes its time over the cut's
/// links. Nodes that have no part in the collective, and switches, may forward but not combine or
/// copy; leave them out of the network where they may not (see induced()).
///
/// `hosts` names the nodes that have a part, once per rank or block. Cables carry as much both
/// ways, so an operation and its reverse have the same bound. All give 0 where a link's rate is not
/// known or hosts are not connected, and infinity for hosts that are all one.

/// Broadcast and reduce: the least of the greatest flows from the root to the others (Edmonds 1973:
/// so much can be had, see packed_trees). H − 1 greatest flows.
double broadcast_bound(const Network& network, int root, std::span<const int> hosts);

/// All-gather and reduce-scatter of one block per entry of `hosts`, all of one size, the message
/// being all of them: over all sets of hosts, what flows out of the set to the others, to the
/// blocks that must leave it (ForestColl, arXiv 2402.06787, §4). Newton's method on that quotient,
/// each step H greatest flows; a few steps.
double allgather_bound(const Network& network, std::span<const int> hosts);

/// Gather and scatter: the same for the sets without the root.
double gather_bound(const Network& network, int root, std::span<const int> hosts);

/// All-reduce. Each of the H hosts' contributions but one must be sent to be combined, and each
/// host but one be sent the result: 2·(H − 1) messages over the links of all hosts, and one message
/// each way over every cut (Patarasuk and Yuan 2009). An all-reduce made of reduce-scatter and
/// all-gather reaches at most half of the all-gather's bound, which on tori is the same.
double allreduce_bound(const Network& network, std::span<const int> hosts);

/// All-to-all, the message being what one rank sends: of cuts round single nodes, as the worst of
/// all cuts is hard to find, and of all links together, which every block crosses as many of as its
/// shortest way has. On tori of equal extents that is as tight as it gets.
double alltoall_bound(const Network& network, std::span<const int> hosts);

}  // namespace cuboid::detail
