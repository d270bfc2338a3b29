#pragma once

#include "topology/recognition/graph.hpp"
#include "topology/recognition/parallel_classes.hpp"

#include <vector>

namespace cuboid::detail::recognition {

/// Which axis each edge runs along, and which way.
struct AxisLabels {
  int axes = 0;
  std::vector<int> of_edge;  ///< axis of each edge, -1 if damage leaves it open
  std::vector<int>
      direction;  ///< +1: from a to b is the + direction of the axis; -1: the - direction
};

/// Strings the classes together into axes. Two edges that meet in a vertex without ever lying in a
/// common 4-cycle, they or any edges parallel to them, follow each other on one axis. Where damage
/// offers a class several such successors that contradict each other, the one seen at most vertices
/// counts, and none where they are equal.
AxisLabels label_axes(const Graph& graph, const ParallelClasses& classes);

}  // namespace cuboid::detail::recognition
