#pragma once

#include "topology/recognition/embedding.hpp"
#include "topology/recognition/graph.hpp"

#include <vector>

namespace cuboid::detail::recognition {

/// The largest cuboid (with the most cables, then the most nodes) that was found inside any graph.
/// Boxes grow from many vertices, a layer at a time. A box can grow beyond a face if every vertex
/// of the face has a neighbour beyond it, and these neighbours are cabled to each other like the
/// vertices of the face. An axis wraps if its two ends are cabled together. This is a heuristic:
/// finding the largest box for certain is as hard as finding Hamiltonian paths.
Embedding largest_box(const Graph& graph);

}  // namespace cuboid::detail::recognition
