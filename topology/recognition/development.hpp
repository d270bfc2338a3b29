#pragma once

#include "topology/recognition/axes.hpp"
#include "topology/recognition/embedding.hpp"
#include "topology/recognition/graph.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail::recognition {

/// Walks the graph along its labelled edges and takes a step in a lattice for each edge. The shape
/// follows from the walk: if a closed walk returns to its first vertex at another point of the
/// lattice, the axis wraps, and the distance is its period. Example: a walk round a ring of 5 nodes
/// begins at point 0 and reaches its first node again at point 5, so the axis wraps with extent 5.
/// Places every vertex that the walk reaches. Vertices that damage cut off stay unplaced. nullopt
/// if the walk contradicts itself.
std::optional<Embedding> develop(const Graph& graph, const std::vector<int>& component,
                                 const AxisLabels& labels);

}  // namespace cuboid::detail::recognition
