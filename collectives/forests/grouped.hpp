#pragma once

#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/parts.hpp"

#include <functional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// A tree of trees (HSUMMA, Quintin et al. 2013, §III). One tree connects the root with one rank,
/// the leader, of each other group. Then a tree inside each group starts at its leader or at the
/// root. With a grouped tree as `inside` the hierarchy gets deeper. Groups are disjoint, and one of
/// them has the root.
using ShapeOverRanks = std::function<std::vector<Edge>(std::span<const int> ranks, int root)>;
std::vector<Edge> grouped_tree(std::span<const std::vector<int>> groups, int root,
                               const ShapeOverRanks& among, const ShapeOverRanks& inside);

/// Applies a tree shape to any list of ranks, in the list's order.
ShapeOverRanks over_ranks(std::vector<Edge> (*shape)(int ranks, int root));

/// Cuts a list of ranks into `count` consecutive groups, whose lengths differ by at most one.
std::vector<std::vector<int>> consecutive_groups(std::span<const int> ranks, int count);

/// One level of a hierarchy: the number of groups into which each group of the level above is
/// split, and the tree among their leaders. The innermost level ignores `groups`; its tree connects
/// the ranks of a group.
struct TreeLevel {
  int groups = 1;
  std::vector<Edge> (*shape)(int ranks, int root) = nullptr;
  TreeNeighbours (*neighbours)(int ranks, int root,
                               int rank) = nullptr;  ///< the shape for one rank
  bool operator==(const TreeLevel&) const = default;
};

/// The tree of a hierarchy of consecutive ranks. `levels` has one level or more, the outermost
/// first.
std::vector<Edge> hierarchical_tree(int ranks, int root, std::span<const TreeLevel> levels);

/// One rank's part in hierarchical_tree(). Every level must have `neighbours`.
TreeNeighbours hierarchical_neighbours(int ranks, int root, int rank,
                                       std::span<const TreeLevel> levels);

}  // namespace cuboid::detail
