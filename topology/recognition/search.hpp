#pragma once

#include "topology/recognition/embedding.hpp"
#include "topology/recognition/graph.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail::recognition {

/// The nodes and edges of a shape that an embedding lacks. Parallel cables count once.
struct Damage {
  std::int64_t missing_nodes = 0;
  std::int64_t missing_edges = 0;  ///< edges between places that have a vertex
  std::int64_t total() const { return missing_nodes + missing_edges; }
};

/// The damage of an embedding. nullopt if it is no embedding: an edge of the graph is not on an
/// edge of the shape, or a vertex of the component has no place.
std::optional<Damage> damage_of(const Graph& graph, const std::vector<int>& component,
                                const Embedding& embedding);

/// Looks for the shape with the least damage: at most `most` missing nodes and edges, of which at
/// most 2 are nodes. Tries every shape that has a suitable number of nodes, edges and neighbours,
/// and every embedding in it, until `will_do` accepts one. The search is complete as long as
/// `steps` placements suffice. They suffice for small graphs, and for nearly all damage of large
/// graphs.
std::optional<Embedding> search_least_damage(const Graph& graph, const std::vector<int>& component,
                                             std::int64_t most, const Judge& will_do,
                                             std::int64_t steps);

}  // namespace cuboid::detail::recognition
