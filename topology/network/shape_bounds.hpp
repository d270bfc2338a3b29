#pragma once

#include <cuboid/shape.hpp>

namespace cuboid::detail {

/// The bounds of cut_bound.hpp in closed form, for tori and meshes of any size with one rank on
/// every node and all links of `rate` bytes per second. The worst cut is round a single node, or
/// beside torus axes of extent 2, whose pairs of nodes have few links, round the first layer of an
/// axis; of an all-to-all it is elsewhere. All give infinity for a single node.

/// Broadcast and reduce with node 0 as root: the links of the node that has fewest.
double broadcast_bound(const Shape& shape, double rate);

/// All-gather and reduce-scatter, the message being all blocks of a rank.
double allgather_bound(const Shape& shape, double rate);

/// Gather and scatter with node 0 as root.
double gather_bound(const Shape& shape, double rate);

double allreduce_bound(const Shape& shape, double rate);

/// All-to-all, the message being what one rank sends: of cuts round single nodes and of those that
/// halve an axis of n nodes, which ⌊n/2⌋·⌈n/2⌉ blocks of every line cross each way, over one cable
/// of it or, on a torus, two. Blocks that go all of one axis first, then the next, the shortest
/// way, load the busiest links no more than these cuts must be.
double alltoall_bound(const Shape& shape, double rate);

}  // namespace cuboid::detail
