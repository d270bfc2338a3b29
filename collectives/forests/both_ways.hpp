#pragma once

#include <cuboid/network.hpp>

#include "collectives/forests/packed.hpp"

#include <vector>

namespace cuboid::detail {

/// Spanning trees of a network without switches that together load no cable beyond its rate when
/// each of them is used both ways at once: inwards to combine, outwards to multicast, as an
/// all-reduce does. They carry equal parts. Each has its root in its middle. They are those, at
/// most `most_trees`, that carry most where each tree costs the part `cost_of_tree` of it: the more
/// trees take turns on a cable, the later a message has filled them (by the simulator a quarter of
/// a percent each, of 16 MiB on some 16 nodes).
///
/// Trees of cables, unlike those of links out of a root, may leave nodes of few cables at their
/// ends: they carry what the sparsest cut of the nodes into any number of parts allows (Tutte 1961;
/// Nash-Williams 1961), whole where the rates are multiples of what a tree carries. As many trees
/// out of every root, used inwards and then outwards, carry half an all-gather's rate, which is
/// less wherever nodes differ. An overloaded cable is exchanged for others along shortest chains of
/// exchanges (Edmonds 1965) until none is left.
///
/// The same on every call. A single host has no trees. Throws Error(invalid_argument) where hosts
/// are not connected.
std::vector<PackedTree> trees_both_ways(const Network& network, double cost_of_tree = 0.0025,
                                        int most_trees = 32);

}  // namespace cuboid::detail
