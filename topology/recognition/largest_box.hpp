#pragma once

#include "topology/recognition/embedding.hpp"
#include "topology/recognition/graph.hpp"

#include <vector>

namespace cuboid::detail::recognition {

/// The largest cuboid (most cables, then most nodes) found inside any graph: boxes are grown from
/// many vertices, a layer at a time, as long as every vertex of a face has a neighbour beyond it
/// that is cabled as the face is; an axis wraps where its two ends are cabled together. A
/// heuristic: to find the largest for certain is as hard as finding Hamiltonian paths.
Embedding largest_box(const Graph& graph);

}  // namespace cuboid::detail::recognition
