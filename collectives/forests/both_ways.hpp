#pragma once

#include <cuboid/network.hpp>

#include "collectives/forests/packed.hpp"

#include <vector>

namespace cuboid::detail {

/// Spanning trees of a network without switches, for all-reduces: each tree is used inwards to
/// combine and outwards to multicast at the same time. Together they load no cable beyond its rate.
/// They carry equal parts, and each has its root in its middle. Of all sets of up to `most_trees`
/// trees this one carries most, if each tree costs the share `cost_of_tree` of the rate: with more
/// trees that take turns on a cable, a message fills them later (in the simulator a quarter of a
/// percent per tree, with 16 MiB on some 16 nodes).
///
/// Trees of cables may have nodes of few cables as leaves, unlike trees of directed links out of
/// one root. They carry what the sparsest cut of the nodes into any number of parts allows (Tutte
/// 1961; Nash-Williams 1961), exactly where the rates are multiples of what a tree carries. In
/// comparison, trees out of every root, used inwards and then outwards, carry half of an
/// all-gather's rate, which is less wherever nodes differ. An overloaded cable is exchanged for
/// others along shortest chains of exchanges (Edmonds 1965) until none is left.
///
/// The result is the same on every call. A single host has no trees. Throws Error(invalid_argument)
/// if hosts are not connected.
std::vector<PackedTree> trees_both_ways(const Network& network, double cost_of_tree = 0.0025,
                                        int most_trees = 32);

}  // namespace cuboid::detail
