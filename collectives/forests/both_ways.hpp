#pragma once

#include <cuboid/network.hpp>

#include "collectives/forests/packed.hpp"

#include <vector>

namespace cuboid::detail {

/// Packs spanning trees of a network without switches, for all-reduces: each tree is used at the
/// same time inwards to combine and outwards to multicast. Together the trees load no cable beyond
/// its rate. They carry equal parts, and each tree has its root in its middle. Of all sets of up to
/// `most_trees` trees this one carries most, if each tree costs the share `cost_of_tree` of the
/// rate: when more trees take turns on a cable, a message fills them later (in the simulator a
/// quarter of a percent per tree, with 16 MiB on about 16 nodes).
///
/// Unlike trees of directed links out of one root, trees of cables may have nodes of few cables as
/// leaves. They carry what the sparsest cut of the nodes into any number of parts allows (Tutte
/// 1961; Nash-Williams 1961), exactly so if the rates are multiples of what a tree carries. In
/// comparison, trees out of every root that are used first inwards and then outwards carry half of
/// an all-gather's rate, which is less if nodes differ. The cables of trees are exchanged along
/// shortest chains of exchanges (Edmonds 1965) until no cable is overloaded.
///
/// The result is the same on every call. A single host has no trees. Throws Error(invalid_argument)
/// if hosts are not connected.
std::vector<PackedTree> trees_both_ways(const Network& network, double cost_of_tree = 0.0025,
                                        int most_trees = 32);

}  // namespace cuboid::detail
