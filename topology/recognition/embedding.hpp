#pragma once

#include <cuboid/shape.hpp>

#include "topology/recognition/graph.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace cuboid::detail::recognition {

/// A graph placed in a shape: every edge of the graph lies on a cable of the shape, and no two
/// vertices have the same place.
struct Embedding {
  Shape shape;  ///< an axis of extent 2 never wraps here: parallel cables are examined later
  std::vector<NodeIndex> place;  ///< the place of each vertex; -1: not placed
};

/// The limits of a search for an embedding.
struct SearchLimits {
  /// Edges of the shape that may be missing between placed vertices.
  std::int64_t missing_edges = 0;
  std::int64_t steps = 0;  ///< placements that may still be tried; counted down
};

/// Places the vertices of the connected part `component` that have no place yet, so that every edge
/// of the graph lies on an edge of the shape. A vertex with only one possible place is placed
/// first. If there is no such vertex, the search tries the places of a vertex one after the other.
/// nullopt if there is no such embedding or the limits are reached.
std::optional<Embedding> complete(const Graph& graph, const std::vector<int>& component,
                                  Embedding partial, SearchLimits& limits);

/// True if an embedding that was found is good enough. Otherwise the search continues.
using Judge = std::function<bool(const Embedding&)>;

/// Finds an embedding without a partial one. Vertex `first` is put on each of `first_places` in
/// turn, until `will_do` accepts an embedding. Of several places that are equal by symmetry as seen
/// from `first` (mirrored, or on another axis of the same kind) only one is tried.
std::optional<Embedding> embed(const Graph& graph, const std::vector<int>& component,
                               const Shape& shape, int first,
                               const std::vector<NodeIndex>& first_places, const Judge& will_do,
                               SearchLimits& limits);

}  // namespace cuboid::detail::recognition
