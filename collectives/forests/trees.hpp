#pragma once

#include <cuboid/collectives/forest.hpp>

#include <vector>

namespace cuboid {

/// The shapes of trees over the ranks 0 … ranks − 1 of a group, as edges from the root outwards.
/// Pure rank arithmetic; each works for any rank count and root.

/// Every other rank is a child of the root, nearest first in ascending ranks round the group.
/// Depth 1.
std::vector<Edge> flat_tree(int ranks, int root);

/// Binomial tree: ⌈log2 p⌉ steps, each doubling the ranks reached (003 §II). The child with the
/// largest subtree first.
std::vector<Edge> binomial_tree(int ranks, int root);

/// A line of ranks from the root upwards, round the end to 0. Depth p − 1; with segments, every
/// edge is busy at once (003 §II "pipelined").
std::vector<Edge> chain(int ranks, int root);

/// A tree of binomial depth in which every subtree holds consecutive ranks: lower ones under
/// lower-ranked children, nearest first. Combining along it keeps rank order, as operations that do
/// not commute need.
std::vector<Edge> in_order_tree(int ranks, int root);

}  // namespace cuboid
