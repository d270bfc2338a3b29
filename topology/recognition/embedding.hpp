#pragma once

#include <cuboid/shape.hpp>

#include "topology/recognition/graph.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace cuboid::detail::recognition {

/// A graph laid into a shape: every edge of the graph on a cable of the shape, no two vertices on
/// one place.
struct Embedding {
  Shape shape;  ///< an axis of extent 2 never wraps here: parallel cables are looked at later
  std::vector<NodeIndex> place;  ///< of each vertex; -1: not placed
};

/// How far a search for an embedding may go.
struct SearchLimits {
  std::int64_t missing_edges =
      0;                   ///< edges of the shape that may be missing between placed vertices
  std::int64_t steps = 0;  ///< placements that may be tried; counted down
};

/// Places the vertices of `component` (connected) that are not placed yet, so that every edge of
/// the graph lies on an edge of the shape. Vertices with one possible place are placed first; only
/// where none has, one is tried after the other. nullopt if there is no such embedding or the
/// limits are reached.
std::optional<Embedding> complete(const Graph& graph, const std::vector<int>& component,
                                  Embedding partial, SearchLimits& limits);

/// True if an embedding that was found will do; if not, the search goes on.
using Judge = std::function<bool(const Embedding&)>;

/// The same from nothing: `first` is put on each of `first_places` in turn, until an embedding will
/// do. Of places that look the same from there (mirrored, or along another axis of the same kind)
/// only one is tried.
std::optional<Embedding> embed(const Graph& graph, const std::vector<int>& component,
                               const Shape& shape, int first,
                               const std::vector<NodeIndex>& first_places, const Judge& will_do,
                               SearchLimits& limits);

}  // namespace cuboid::detail::recognition
