#pragma once

#include "topology/recognition/graph.hpp"
#include "topology/recognition/parallel_classes.hpp"

#include <vector>

namespace cuboid::detail::recognition {

/// For each edge, the axis that it runs along and its direction on this axis.
struct AxisLabels {
  int axes = 0;
  std::vector<int> of_edge;  ///< the axis of each edge; -1 if it is unknown because of damage
  /// +1: from a to b is the + direction of the axis; -1: the - direction.
  std::vector<int> direction;
};

/// Joins the classes into axes. Two edges follow each other on one axis if they meet in a vertex,
/// and neither these two edges nor any edges parallel to them lie in a common 4-cycle:
///
///   o-a-o-b-o     a and b follow each other: they meet in a vertex, and no 4-cycle contains both.
///   c   c   c     a and c do not: they are two sides of a 4-cycle.
///   o-a-o-b-o
///
/// If damage gives a class several successors that contradict each other, the successor that is
/// seen at the most vertices counts. If several are seen equally often, none of them counts.
AxisLabels label_axes(const Graph& graph, const ParallelClasses& classes);

}  // namespace cuboid::detail::recognition
