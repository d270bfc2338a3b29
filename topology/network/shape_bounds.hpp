#pragma once

#include <cuboid/shape.hpp>

namespace cuboid::detail {

/// The bounds of cut_bound.hpp in closed form, for tori and meshes of any size with one rank per
/// node and links of `rate` bytes per second. The minimum cut surrounds a single node or, beside
/// torus axes of extent 2, whose pairs of nodes have few links, the first layer of an axis. That of
/// an all-to-all is elsewhere. All return infinity for a single node.

/// Broadcast and reduce with root 0: the rate of all links of the node that has fewest.
double broadcast_bound(const Shape& shape, double rate);

/// All-gather and reduce-scatter; the message consists of the blocks of all ranks.
double allgather_bound(const Shape& shape, double rate);

/// Gather and scatter with root 0.
double gather_bound(const Shape& shape, double rate);

/// All-reduce.
double allreduce_bound(const Shape& shape, double rate);

/// All-to-all; the message is what one rank sends. The bound considers cuts around single nodes and
/// cuts that halve an axis of n nodes: ⌊n/2⌋·⌈n/2⌉ blocks of every line cross these in each
/// direction, over one cable per line, or two on a torus. Shortest dimension-ordered routes load no
/// link more than these cuts.
double alltoall_bound(const Shape& shape, double rate);

}  // namespace cuboid::detail
