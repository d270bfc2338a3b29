#pragma once

#include <cuboid/shape.hpp>

#include <span>

namespace cuboid::detail {

/// The bounds of cut_bound.hpp in closed form, for tori and meshes of any size with one rank per
/// node. `rates` has the bytes per second of a link along each axis, or one rate for all axes. The
/// minimum cut surrounds a box of all nodes along some axes and a single one along the others, at a
/// corner: a single node, or beside slow or short axes a line or plane. That of an all-to-all is
/// elsewhere. All return infinity for a single node.

/// Broadcast and reduce with root 0: the rate of all links of such a box, the least of them.
double broadcast_bound(const Shape& shape, std::span<const double> rates);

/// All-gather and reduce-scatter; the message consists of the blocks of all ranks.
double allgather_bound(const Shape& shape, std::span<const double> rates);

/// Gather and scatter with root 0.
double gather_bound(const Shape& shape, std::span<const double> rates);

/// All-reduce: the broadcast's, and for every cut of the nodes into parallel boxes, 2·(k − 1)
/// messages over the links between k of them.
double allreduce_bound(const Shape& shape, std::span<const double> rates);

/// All-to-all; the message is what one rank sends. The bound considers cuts around such boxes and
/// cuts that halve an axis of n nodes: ⌊n/2⌋·⌈n/2⌉ blocks of every line cross these in each
/// direction, over one cable per line, or two on a torus. Where all axes are alike, shortest
/// dimension-ordered routes load no link more than these cuts.
double alltoall_bound(const Shape& shape, std::span<const double> rates);

}  // namespace cuboid::detail
