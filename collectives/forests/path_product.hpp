#pragma once

#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/parts.hpp"

#include <cstddef>
#include <limits>
#include <vector>

namespace cuboid::detail {

/// Edge-disjoint trees of the product of a graph G with a path, made from trees of G. There is one
/// colour more than G has. The levels of the product are copies of G. Distances between levels are
/// in node numbers. Example: G is a ring and the path a line of rings; the product is a cylinder.
///
/// In the root's own level each tree of G stays as it is. Every other level is entered by the new
/// colour at the root's copy r. From there it spreads along S, the shallowest spanning tree of
/// links of the trees of G that has all their links out of r. A tree of G whose link into a node
/// was given to S enters that node from the level before. Its other links remain; they hang below
/// such nodes, because no link out of r is left. The tree reaches r from its first child, over a
/// link that no tree out of r uses. The new colour reaches the other nodes of the root's own level
/// by stepping back from the next level, over links that no other tree uses.
class PathProduct {
 public:
  /// The distances of the other levels from the root's own level, outwards on either side of it.
  using Levels = std::vector<std::vector<int>>;

  /// @param trees  the trees of G; must outlive the object
  /// @param root   the trees' root in G
  /// @param nodes  the number of nodes of G
  PathProduct(const std::vector<std::vector<Edge>>& trees, int root, std::size_t nodes);

  std::vector<std::vector<Edge>> trees(const Levels& levels) const;

  /// The part in trees() of the copy of `node` in the level at distance `level`.
  std::vector<TreeNeighbours> neighbours(const Levels& levels, int node, int level) const;

 private:
  /// The neighbours of a level: the level before it, which is nearer to the root's level, and the
  /// levels after it.
  struct LevelNeighbours {
    int before = 0;
    std::vector<int> next = {};
  };
  static LevelNeighbours place_in(const Levels& levels, int level);

  bool lost(std::size_t colour, int child) const {
    return lost_by_[static_cast<std::size_t>(child)] == colour;
  }
  void lift(std::size_t colour, int before, int level, std::vector<Edge>& edges) const;
  TreeNeighbours in_own_level(std::size_t colour, int node, const std::vector<int>& next) const;
  TreeNeighbours in_other_level(std::size_t colour, int node, int level,
                                const LevelNeighbours& place) const;
  TreeNeighbours along_path(const Levels& levels, int node, int level,
                            const LevelNeighbours& place) const;

  static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

  const std::vector<std::vector<Edge>>& trees_;
  int root_;
  std::vector<std::size_t> lost_by_;  // by node: the tree of G whose link into it S has taken
  std::vector<Edge> spreading_;       // S
};

}  // namespace cuboid::detail
