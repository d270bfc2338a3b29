#pragma once

#include "collectives/schedules/forest.hpp"

#include <span>
#include <vector>

namespace cuboid::detail {

/// A directed link that so many trees may use.
struct Arc {
  int from = 0;
  int to = 0;
  int capacity = 1;
};

/// A spanning tree, from its root outwards, to be used so many times.
struct Arborescence {
  int root = 0;
  int copies = 1;
  std::vector<Edge> edges = {};
};

/// Spanning trees of `nodes` nodes, `copies` out of every root, that together use no arc more often
/// than its capacity. They exist if and only if into every set of nodes there are as many arcs as
/// `copies` for each root outside (Edmonds 1973; several roots: Bérczi and Frank 2010); throws
/// Error(internal) if that is not so. No two arcs have the same ends.
///
/// Trees grow together, node by node and breadth first, so that all stay shallow. A tree takes the
/// next arc if the arcs left over are enough for all others still to grow (Lovász 1976), which one
/// local greatest flow tells; an arc once refused to a tree need never be asked for again. At most
/// (trees · arcs) such flows, each of a few steps near the arc, or of all arcs where it is refused.
std::vector<Arborescence> grow_arborescences(int nodes, std::span<const Arc> arcs,
                                             std::span<const int> roots, int copies);

}  // namespace cuboid::detail
