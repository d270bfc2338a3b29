#pragma once

#include "collectives/schedules/forest.hpp"

#include <array>
#include <vector>

namespace cuboid::detail {

/// The shapes of trees over the ranks 0 … ranks − 1 of a group, as edges from the root outwards.
/// Pure rank arithmetic. Each shape works for any number of ranks and any root.

/// All other ranks are children of the root, in the order of their ranks from the root upwards and
/// on from rank 0. Depth 1.
std::vector<Edge> flat_tree(int ranks, int root);

/// Binomial tree: ⌈log2 p⌉ steps, each of which doubles the number of ranks reached (Quintin et al.
/// 2013, §II). The child with the largest subtree comes first.
std::vector<Edge> binomial_tree(int ranks, int root);

/// A line of ranks from the root upwards and on from rank 0. Depth p − 1; with segments, all edges
/// are busy at once (Quintin et al. 2013, §II "pipelined").
std::vector<Edge> chain(int ranks, int root);

/// A tree of binomial depth in which every subtree holds consecutive ranks. The ranks below the
/// root are under its lower children, nearest first. Combining along this tree keeps the order of
/// ranks, which operations that do not commute need.
std::vector<Edge> in_order_tree(int ranks, int root);

/// Every rank has up to two children: rank v (relative to the root) has 2v + 1 and 2v + 2. Depth
/// ⌊log2 p⌋. A rank sends a segment at most twice, whatever the number of ranks.
std::vector<Edge> binary_tree(int ranks, int root);

/// k-nomial tree: ⌈log_k p⌉ levels. In each level a rank sends to k − 1 other ranks (k = 2:
/// binomial). The child with the largest subtree comes first. radix ≥ 2.
std::vector<Edge> knomial_tree(int ranks, int root, int radix);

/// Two binary trees, each for a half of the message. A rank that passes segments on in one tree is
/// a leaf of the other (Sanders, Speck and Träff 2009). So no rank sends more than it receives, and
/// trees of depth log2 p reach the full bandwidth. The root has one child in each tree; the depth
/// is at most ⌊log2 (p − 1)⌋ + 1.
std::array<std::vector<Edge>, 2> double_binary_trees(int ranks, int root);

/// A line from the root downwards, then on from rank p − 1: chain() in the other direction.
std::vector<Edge> downward_chain(int ranks, int root);

}  // namespace cuboid::detail
