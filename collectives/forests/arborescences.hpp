#pragma once

#include "collectives/schedules/forest.hpp"

#include <span>
#include <vector>

namespace cuboid::detail {

/// A directed link that at most `capacity` trees may use.
struct Arc {
  int from = 0;
  int to = 0;
  int capacity = 1;
};

/// A spanning tree, from its root outwards, that is used `copies` times.
struct Arborescence {
  int root = 0;
  int copies = 1;
  std::vector<Edge> edges = {};
};

/// Grows spanning trees of `nodes` nodes, `copies` out of every root, that together use no arc more
/// often than its capacity. Such trees exist if and only if every set of nodes has at least
/// `copies` arcs into it for each root outside the set (Edmonds 1973; several roots: Bérczi and
/// Frank 2010). Throws Error(internal) if they do not exist. No two arcs may have the same ends.
///
/// Trees grow together, node by node and breadth first, so that all stay shallow. A tree takes the
/// next arc if the remaining arcs suffice for all other trees (Lovász 1976). One local maximum flow
/// decides that, and an arc that was refused to a tree is not asked for again. So there are at most
/// (trees · arcs) flows. A flow takes a few steps near the arc; if the arc is refused it may go
/// over all arcs.
std::vector<Arborescence> grow_arborescences(int nodes, std::span<const Arc> arcs,
                                             std::span<const int> roots, int copies);

}  // namespace cuboid::detail
