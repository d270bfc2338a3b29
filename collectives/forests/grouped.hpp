#pragma once

#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/parts.hpp"

#include <functional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// A tree of trees: one among the groups, between the root and one rank (the leader) of each other
/// group, then one inside each group from there (HSUMMA, Quintin et al. 2013, §III; a hierarchy of
/// any depth where `inside` is one again). Groups are disjoint, and one of them has the root.
using ShapeOverRanks = std::function<std::vector<Edge>(std::span<const int> ranks, int root)>;
std::vector<Edge> grouped_tree(std::span<const std::vector<int>> groups, int root,
                               const ShapeOverRanks& among, const ShapeOverRanks& inside);

/// A tree shape over any list of ranks, in the list's order.
ShapeOverRanks over_ranks(std::vector<Edge> (*shape)(int ranks, int root));

/// `count` consecutive parts of a list of ranks, equally long up to one.
std::vector<std::vector<int>> consecutive_groups(std::span<const int> ranks, int count);

/// One level of a hierarchy: into how many groups the ranks of each group of the level above are
/// split (at the innermost level: not at all, `groups` is ignored), and the tree among their
/// leaders.
struct TreeLevel {
  int groups = 1;
  std::vector<Edge> (*shape)(int ranks, int root) = nullptr;
  TreeNeighbours (*neighbours)(int ranks, int root, int rank) = nullptr;  ///< the same for one rank
};

/// Trees of trees of trees over consecutive ranks, one level or more, the outermost first.
std::vector<Edge> hierarchical_tree(int ranks, int root, std::span<const TreeLevel> levels);

/// What one rank does in it; every level has its `neighbours`.
TreeNeighbours hierarchical_neighbours(int ranks, int root, int rank,
                                       std::span<const TreeLevel> levels);

}  // namespace cuboid::detail
