#include "topology/recognition/parallel_classes.hpp"

#include <cuboid/shape.hpp>

#include "topology/recognition/signed_sets.hpp"

#include <algorithm>
#include <array>

namespace cuboid::detail::recognition {
namespace {

constexpr int max_degree = 2 * Shape::max_axes;

/// The edges of a 4-cycle u - v - x - w - u. Edge uv is opposite to wx, and uw to vx.
struct Square {
  int uv, wx, uw, vx;
};

/// +1 if an edge points away from a vertex when it is walked from a to b, else -1.
int outwards(const Graph& graph, int edge, int vertex) {
  return graph.edge(edge).a == vertex ? +1 : -1;
}

/// Every 4-cycle once, found from its smallest vertex; nullopt if a 4-cycle shows that the graph is
/// no cuboid.
std::optional<std::vector<Square>> find_squares(const Graph& graph) {
  struct Path {
    int end, middle, first_edge, second_edge;
  };
  std::vector<Square> squares;
  std::vector<Path> paths;
  for (int u = 0; u < graph.vertices(); ++u) {
    if (graph.degree(u) > max_degree) return std::nullopt;
    paths.clear();
    for (const Neighbour& first : graph.neighbours(u)) {
      if (first.vertex < u || graph.degree(first.vertex) > max_degree) continue;
      for (const Neighbour& second : graph.neighbours(first.vertex)) {
        if (second.vertex > u)
          paths.push_back({second.vertex, first.vertex, first.edge, second.edge});
      }
    }
    std::ranges::sort(paths, {}, &Path::end);
    for (std::size_t i = 1; i < paths.size(); ++i) {
      const Path& one = paths[i - 1];
      const Path& other = paths[i];
      if (one.end != other.end) continue;
      const bool third = i + 1 < paths.size() && paths[i + 1].end == one.end;
      if (third || graph.edge_between(u, one.end) >= 0 ||
          graph.edge_between(one.middle, other.middle) >= 0) {
        return std::nullopt;
      }
      squares.push_back({one.first_edge, other.second_edge, other.first_edge, one.second_edge});
    }
  }
  return squares;
}

}  // namespace

std::optional<ParallelClasses> parallel_classes(const Graph& graph) {
  const std::optional<std::vector<Square>> squares = find_squares(graph);
  if (!squares) return std::nullopt;

  // Seen from u, the edges uv and wx have the same direction, and so do uw and vx.
  SignedSets sets(static_cast<int>(graph.edges().size()));
  for (const Square& square : *squares) {
    const GraphEdge& uv = graph.edge(square.uv);
    const GraphEdge& uw = graph.edge(square.uw);
    const int u = uv.a == uw.a || uv.a == uw.b ? uv.a : uv.b;
    const int v = uv.a + uv.b - u;
    const int w = uw.a + uw.b - u;
    const bool consistent =
        sets.unite(square.uv, square.wx,
                   outwards(graph, square.uv, u) * outwards(graph, square.wx, w)) &&
        sets.unite(square.uw, square.vx,
                   outwards(graph, square.uw, u) * outwards(graph, square.vx, v));
    if (!consistent) return std::nullopt;
  }

  ParallelClasses classes;
  std::vector<int> class_of_root(graph.edges().size(), -1);
  for (int edge = 0; edge < static_cast<int>(graph.edges().size()); ++edge) {
    const auto [root, sign] = sets.find(edge);
    int& number = class_of_root[static_cast<std::size_t>(root)];
    if (number < 0) number = classes.count++;
    classes.of_edge.push_back(number);
    classes.direction.push_back(sign);
  }
  for (const Square& square : *squares) {
    const int one = classes.of_edge[static_cast<std::size_t>(square.uv)];
    const int other = classes.of_edge[static_cast<std::size_t>(square.uw)];
    if (one == other) return std::nullopt;
    classes.crossing.push_back(std::minmax(one, other));
  }
  std::ranges::sort(classes.crossing);
  const auto repeated = std::ranges::unique(classes.crossing);
  classes.crossing.erase(repeated.begin(), repeated.end());
  return classes;
}

}  // namespace cuboid::detail::recognition
