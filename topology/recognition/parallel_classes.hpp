#pragma once

#include "topology/recognition/graph.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace cuboid::detail::recognition {

/// The edges of a graph grouped by parallelism. In a product of paths and rings, opposite edges of
/// a 4-cycle are parallel: they have the same direction on the same axis. The transitive closure of
/// this relation gives classes. In an undamaged cuboid of two or more axes, a class consists of all
/// edges between two neighbouring layers (a ring of 4 counts as two axes of extent 2):
///
///   o-a-o-b-o-c-o     Edges with the same letter are one class.
///   d   d   d   d
///   o-a-o-b-o-c-o
///
/// Damage can split a class but never joins two classes. (The relation is Djokovic's and Winkler's,
/// as it is used to factorise Cartesian products; see Imrich and Klavzar, Product Graphs, 2000.)
struct ParallelClasses {
  std::vector<int> of_edge;  ///< the class of each edge, 0, 1, ...
  /// +1: the edge points from a to b as its class does; -1: from b to a.
  std::vector<int> direction;
  int count = 0;
  /// Pairs of classes (smaller first, sorted, each once) with edges in a common 4-cycle. The
  /// classes of a pair belong to different axes.
  std::vector<std::pair<int, int>> crossing;
};

/// Finds the classes. nullopt if the graph cannot be a cuboid, damaged or not: if two vertices have
/// three common neighbours, a 4-cycle has a chord, a vertex has more neighbours than the largest
/// number of axes allows, or a class turns back on itself (an edge would have both directions, or
/// two adjacent sides of a 4-cycle would be in one class).
std::optional<ParallelClasses> parallel_classes(const Graph& graph);

}  // namespace cuboid::detail::recognition
