#pragma once

#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/rounds.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// Whom a rank of a tree hears from and whom it tells, in the order of the tree's edges.
struct TreeNeighbours {
  std::optional<int> parent = {};  ///< none: it is the root
  std::vector<int> children = {};
  bool operator==(const TreeNeighbours&) const = default;
};

/// One rank's part in a Tree.
struct TreePart {
  int block = 0;
  Slice slice = {};
  TreeNeighbours neighbours = {};
  bool from_node = false;        ///< the edge to the parent is one of Tree::local_fanout
  std::size_t local_fanout = 0;  ///< of the children, how many, the last ones, are so
  std::uint32_t channel = 0;
  bool operator==(const TreePart&) const = default;
};

/// One rank's part in a Forest: the trees that it is in.
struct ForestPart {
  Flow flow = Flow::multicast;
  std::vector<TreePart> trees = {};
};

ForestPart part_of(const Forest& forest, int rank);

/// One rank's part in Rounds is the rounds with no other exchanges than its own.
Rounds part_of(const Rounds& rounds, int rank);

}  // namespace cuboid::detail
