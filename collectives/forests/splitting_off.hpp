#pragma once

#include "collectives/forests/arborescences.hpp"

#include <span>
#include <vector>

namespace cuboid::detail {

/// True if the arcs suffice for grow_arborescences() to reach the first `hosts` nodes; trees may go
/// through the other nodes. Computes one maximum flow per host, from all roots at once.
bool enough_arcs(int nodes, int hosts, std::span<const Arc> arcs, std::span<const int> roots,
                 int copies);

/// Replaces switches by arcs between hosts. Switches are the nodes from number `hosts` on; they can
/// forward but not copy. An arc into a switch and an arc out of it become one arc past it, as often
/// as enough_arcs() stays true (ForestColl, arXiv 2402.06787, §5). If every node has as many arcs
/// in as out, all arcs can be replaced in this way (Frank 1988, Jackson 1988). Trees over the
/// result load no link beyond its capacity. Keeps a maximum flow to each host, and mends it for
/// each pair of links of a switch.
std::vector<Arc> split_off_switches(int nodes, int hosts, std::span<const Arc> arcs,
                                    std::span<const int> roots, int copies);

}  // namespace cuboid::detail
