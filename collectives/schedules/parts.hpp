#pragma once

#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/rounds.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// A rank's neighbours in a tree.
struct TreeNeighbours {
  std::optional<int> parent = {};  ///< nullopt: the rank is the root
  std::vector<int> children = {};  ///< in the order of the tree's edges
  bool operator==(const TreeNeighbours&) const = default;
};

/// One rank's part in a Tree.
struct TreePart {
  int block = 0;
  Slice slice = {};
  TreeNeighbours neighbours = {};
  bool from_node = false;        ///< true if the edge to the parent is one of Tree::local_fanout
  std::size_t local_fanout = 0;  ///< the number of children, the last ones, over such edges
  std::uint32_t channel = 0;
  bool operator==(const TreePart&) const = default;
};

/// One rank's part in a Forest: the trees that the rank is in.
struct ForestPart {
  Flow flow = Flow::multicast;
  std::vector<TreePart> trees = {};
};

ForestPart part_of(const Forest& forest, int rank);

/// One rank's part in Rounds: the rounds with the exchanges of this rank only.
Rounds part_of(const Rounds& rounds, int rank);

}  // namespace cuboid::detail
