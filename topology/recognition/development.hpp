#pragma once

#include "topology/recognition/axes.hpp"
#include "topology/recognition/embedding.hpp"
#include "topology/recognition/graph.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail::recognition {

/// Walks the graph along its labelled edges and takes a step in a lattice for each edge. The shape
/// follows from the walk: if a closed walk returns to its first vertex at another point of the
/// lattice, the axis wraps, and the distance is its period. Example: a walk round a ring of 4 nodes
/// reaches its first node at 0 again at point 4, so the axis wraps with extent 4. Places every
/// vertex that the walk reaches. Vertices that damage cut off stay unplaced. nullopt if the walk
/// contradicts itself.
std::optional<Embedding> develop(const Graph& graph, const std::vector<int>& component,
                                 const AxisLabels& labels);

}  // namespace cuboid::detail::recognition
