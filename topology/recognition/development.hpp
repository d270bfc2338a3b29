#pragma once

#include "topology/recognition/axes.hpp"
#include "topology/recognition/embedding.hpp"
#include "topology/recognition/graph.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail::recognition {

/// Walks the graph along its labelled edges, a step in a lattice for each edge, and reads the shape
/// off: where a way round leads back to a vertex at another point of the lattice, the axis wraps,
/// with that period. Places every vertex it reaches; what damage cut off stays unplaced. nullopt
/// if the walk contradicts itself.
std::optional<Embedding> develop(const Graph& graph, const std::vector<int>& component,
                                 const AxisLabels& labels);

}  // namespace cuboid::detail::recognition
