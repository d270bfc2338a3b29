#pragma once

#include <cuboid/topology/shape.hpp>

namespace cuboid {

/// The bounds of cut_bound.hpp in closed form, for tori and meshes of any size with one rank on
/// every node and all links of `rate` bytes per second. The worst cut is round a single node: a
/// node, or any box of nodes, has the more links the more nodes it has. All give infinity for a
/// single node.

/// Broadcast and reduce with node 0 as root: the links of the node that has fewest.
double broadcast_bound(const Shape& shape, double rate);

/// All-gather, reduce-scatter and all-to-all, the message being all blocks of a rank.
double allgather_bound(const Shape& shape, double rate);

/// Gather and scatter with node 0 as root.
double gather_bound(const Shape& shape, double rate);

double allreduce_bound(const Shape& shape, double rate);

}  // namespace cuboid
