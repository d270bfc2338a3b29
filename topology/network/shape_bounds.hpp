#pragma once

#include <cuboid/shape.hpp>

#include <span>

namespace cuboid::detail {

/// The bounds of cut_bound.hpp in closed form, for tori and meshes of any size with one rank per
/// node. `rates` has the bytes per second of a link along each axis, or one rate for all axes. The
/// minimum cut surrounds a box at a corner of the shape, which contains all nodes along some axes
/// and one node along the other axes. It is a single node, or beside slow or short axes a line or a
/// plane. For an all-to-all the minimum cut is elsewhere. All functions return infinity for a
/// single node.

/// Broadcast and reduce with root 0: the rate of all links out of such a box, for the box with the
/// least.
double broadcast_bound(const Shape& shape, std::span<const double> rates);

/// All-gather and reduce-scatter; the message consists of the blocks of all ranks.
double allgather_bound(const Shape& shape, std::span<const double> rates);

/// Gather and scatter with root 0.
double gather_bound(const Shape& shape, std::span<const double> rates);

/// All-reduce: the broadcast's bound. Also, for every cut of the nodes into k parallel boxes, 2·(k
/// − 1) messages must cross the links between these boxes.
double allreduce_bound(const Shape& shape, std::span<const double> rates);

/// All-to-all; the message is what one rank sends. The bound considers cuts around such boxes and
/// cuts that halve an axis of n nodes: ⌊n/2⌋·⌈n/2⌉ blocks of every line cross these in each
/// direction, over one cable per line, or two on a torus. Where all axes are alike, shortest
/// dimension-ordered routes load no link more than these cuts.
double alltoall_bound(const Shape& shape, std::span<const double> rates);

}  // namespace cuboid::detail
