#pragma once

#include "collectives/forests/arborescences.hpp"

#include <span>
#include <vector>

namespace cuboid::detail {

/// Whether arcs are enough for grow_arborescences() to reach the first `hosts` nodes, trees going
/// through the others: one greatest flow per host, from all roots at once.
bool enough_arcs(int nodes, int hosts, std::span<const Arc> arcs, std::span<const int> roots,
                 int copies);

/// Replaces switches, which are the nodes from `hosts` on and can forward but not copy, by arcs
/// between hosts: in turn an arc into a switch and one out of it become one past it, as often as
/// enough_arcs() stays true (ForestColl, arXiv 2402.06787, §5; where every node has as many arcs in
/// as out, all arcs can be split off so: Frank 1988, Jackson 1988). Trees over the result load no
/// link beyond its capacity. Per pair of links of a switch, one greatest flow for each host.
std::vector<Arc> split_off_switches(int nodes, int hosts, std::span<const Arc> arcs,
                                    std::span<const int> roots, int copies);

}  // namespace cuboid::detail
