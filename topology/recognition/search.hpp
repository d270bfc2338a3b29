#pragma once

#include "topology/recognition/embedding.hpp"
#include "topology/recognition/graph.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail::recognition {

/// What an embedding leaves out of its shape, parallel cables counted once.
struct Damage {
  std::int64_t missing_nodes = 0;
  std::int64_t missing_edges = 0;  ///< between places that have a vertex
  std::int64_t total() const { return missing_nodes + missing_edges; }
};

/// nullopt if it is no embedding: an edge of the graph is not on an edge of the shape, or a
/// vertex of the component has no place.
std::optional<Damage> damage_of(const Graph& graph, const std::vector<int>& component,
                                const Embedding& embedding);

/// Looks for the shape with the least damage, no more than `most` in total (of these at most 2
/// missing nodes): tries every shape that has the right number of nodes, edges and neighbours, and
/// in it every embedding, until one will do. Complete as long as `steps` placements suffice, which
/// they do for small graphs and for nearly all damage of large ones.
std::optional<Embedding> search_least_damage(const Graph& graph, const std::vector<int>& component,
                                             std::int64_t most, const Judge& will_do,
                                             std::int64_t steps);

}  // namespace cuboid::detail::recognition
