#pragma once

#include <cuboid/network.hpp>

#include <optional>
#include <span>

namespace cuboid::detail {

/// Upper bounds on the rate of a collective, in bytes of the message per second. No algorithm can
/// exceed them: the links of a cut limit all data that must cross the cut. Nodes that do not take
/// part, and switches, may forward data but not combine or copy it. If they may not forward, remove
/// them from the network (see induced()).
///
/// `hosts` lists the nodes that take part, once per rank or block. Cables have the same rate in
/// both directions, so an operation and its reverse have the same bound. All functions return 0 if
/// the rate of a link is unknown or hosts are not connected, and infinity if all hosts are the
/// same.

/// Broadcast and reduce: the minimum over the other hosts of the maximum flow from the root
/// (Edmonds 1973; packed_trees() reaches it). Computes H − 1 maximum flows.
double broadcast_bound(const Network& network, int root, std::span<const int> hosts);

/// All-gather and reduce-scatter of blocks of equal size, one per entry of `hosts`; the message
/// consists of all blocks. The bound is the minimum, over all sets of hosts, of the flow out of the
/// set per block that must leave it (ForestColl, arXiv 2402.06787, §4). Newton's method finds it in
/// a few steps of H maximum flows each.
double allgather_bound(const Network& network, std::span<const int> hosts);

/// Gather and scatter: the same minimum, over the sets without the root.
double gather_bound(const Network& network, int root, std::span<const int> hosts);

/// All-reduce. All H contributions but one must be sent to be combined, and all hosts but one must
/// receive the result. That is 2·(H − 1) messages over the links of all hosts, and one message in
/// each direction over every cut (Patarasuk and Yuan 2009). A reduce-scatter followed by an
/// all-gather reaches at most half of the all-gather's bound; on tori this is the same rate.
double allreduce_bound(const Network& network, std::span<const int> hosts);

/// All-to-all; the message is what one rank sends. The minimum over all cuts is hard to find. So
/// the bound considers cuts around single nodes, and all links together: every block crosses at
/// least the links of a shortest path. On tori of equal extents the bound is tight.
double alltoall_bound(const Network& network, std::span<const int> hosts);

/// The upper bound on a message's rate, in bytes per second, if every link lets a burst through at
/// once after a rest (a token bucket). In t seconds such a link carries at most its rate times t
/// plus the burst: no more than a link without bursts in t + burst / rate seconds. So a message
/// takes at least bytes / bound − head_start seconds. nullopt if bursts may carry half of it or
/// more: a bound of twice what the links sustain says nothing of how well they are used.
/// @param bound       bytes per second that the links without bursts allow (cut_bound.hpp).
/// @param bytes       length of the message.
/// @param head_start  seconds: a burst at the rate of its link, the longest of all links. Where all
///                    are equal, no stricter bound follows from the same cut.
std::optional<double> bound_with_bursts(double bound, double bytes, double head_start);

}  // namespace cuboid::detail
