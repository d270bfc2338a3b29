#include "topology/recognition/development.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace cuboid::detail::recognition {
namespace {

/// The point of the lattice at which each vertex was reached.
class Points {
 public:
  Points(int vertices, int axes)
      : axes_(static_cast<std::size_t>(axes)),
        points_(static_cast<std::size_t>(vertices) * axes_, 0),
        reached_(static_cast<std::size_t>(vertices), false) {}

  std::span<int> of(int vertex) {
    return std::span(points_).subspan(static_cast<std::size_t>(vertex) * axes_, axes_);
  }
  bool reached(int vertex) const { return reached_[static_cast<std::size_t>(vertex)]; }
  void reach(int vertex) { reached_[static_cast<std::size_t>(vertex)] = true; }

 private:
  std::size_t axes_;
  std::vector<int> points_;
  std::vector<bool> reached_;
};

int axis_of(const AxisLabels& labels, int edge) {
  return labels.of_edge[static_cast<std::size_t>(edge)];
}

/// The step along its axis, +1 or -1, of an edge that is walked from `vertex`.
int step_from(const Graph& graph, const AxisLabels& labels, int edge, int vertex) {
  const int direction = labels.direction[static_cast<std::size_t>(edge)];
  return graph.edge(edge).a == vertex ? direction : -direction;
}

/// Walks from a vertex as far as possible. Returns the vertices that it reached.
std::vector<int> walk(const Graph& graph, const AxisLabels& labels, int start, Points& points) {
  std::vector<int> reached{start};
  points.reach(start);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const int from = reached[i];
    for (const auto& [to, edge] : graph.neighbours(from)) {
      const int axis = axis_of(labels, edge);
      if (axis < 0 || points.reached(to)) continue;
      std::ranges::copy(points.of(from), points.of(to).begin());
      points.of(to)[static_cast<std::size_t>(axis)] += step_from(graph, labels, edge, from);
      points.reach(to);
      reached.push_back(to);
    }
  }
  return reached;
}

/// Walks all parts of the component that labelled edges connect. Returns the vertices of the
/// largest part.
std::vector<int> walk_largest(const Graph& graph, const std::vector<int>& component,
                              const AxisLabels& labels, Points& points) {
  std::vector<int> largest;
  for (const int start : component) {
    if (points.reached(start)) continue;
    std::vector<int> reached = walk(graph, labels, start, points);
    if (reached.size() > largest.size()) largest = std::move(reached);
  }
  return largest;
}

/// For each axis, the greatest common divisor of the displacements of closed walks; 0 if all are 0.
std::vector<int> find_periods(const Graph& graph, const AxisLabels& labels,
                              const std::vector<int>& vertices, Points& points) {
  std::vector<int> periods(static_cast<std::size_t>(labels.axes), 0);
  for (const int from : vertices) {
    for (const auto& [to, edge] : graph.neighbours(from)) {
      if (axis_of(labels, edge) < 0) continue;
      for (int axis = 0; axis < labels.axes; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const int step = axis == axis_of(labels, edge) ? step_from(graph, labels, edge, from) : 0;
        periods[a] = std::gcd(periods[a], points.of(from)[a] + step - points.of(to)[a]);
      }
    }
  }
  return periods;
}

/// Joins two axes of extent 2 into one axis of extent 4 that wraps: positions 00, 01, 11, 10.
void pair_axes_of_extent_2(std::vector<Axis>& axes, std::vector<Coordinate>& coordinates) {
  const Axis binary{2, false};
  while (true) {
    const auto first = std::ranges::find(axes, binary);
    if (first == axes.end()) return;
    const auto second = std::find(first + 1, axes.end(), binary);
    if (second == axes.end()) return;
    const auto a = first - axes.begin();
    const auto b = second - axes.begin();
    for (Coordinate& coordinate : coordinates) {
      const int high = coordinate[static_cast<std::size_t>(a)];
      const int low = coordinate[static_cast<std::size_t>(b)];
      coordinate[static_cast<std::size_t>(a)] = 2 * high + (high ^ low);
      coordinate.erase(coordinate.begin() + b);
    }
    *first = {4, true};
    axes.erase(second);
  }
}

}  // namespace

std::optional<Embedding> develop(const Graph& graph, const std::vector<int>& component,
                                 const AxisLabels& labels) {
  Points points(graph.vertices(), labels.axes);
  const std::vector<int> vertices = walk_largest(graph, component, labels, points);
  const std::vector<int> periods = find_periods(graph, labels, vertices, points);

  std::vector<Axis> axes;
  std::vector<Coordinate> coordinates(vertices.size());
  for (std::size_t axis = 0; axis < periods.size(); ++axis) {
    int lowest = std::numeric_limits<int>::max();
    int highest = std::numeric_limits<int>::min();
    for (const int vertex : vertices) {
      lowest = std::min(lowest, points.of(vertex)[axis]);
      highest = std::max(highest, points.of(vertex)[axis]);
    }
    const bool wraps = periods[axis] > 0;
    const int extent = wraps ? periods[axis] : highest - lowest + 1;
    if (wraps && extent < 3) return std::nullopt;
    axes.push_back({extent, wraps});
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      coordinates[i].push_back((points.of(vertices[i])[axis] - lowest) % extent);
    }
  }
  pair_axes_of_extent_2(axes, coordinates);
  // An axis on which no vertex was reached is unknown.
  double places = 1;
  for (const Axis& axis : axes) places *= axis.extent;
  if (axes.size() > Shape::max_axes || places > 2.0 * static_cast<double>(component.size())) {
    return std::nullopt;
  }

  Embedding embedding{Shape(std::move(axes)),
                      std::vector<NodeIndex>(static_cast<std::size_t>(graph.vertices()), -1)};
  std::vector<bool> taken(static_cast<std::size_t>(embedding.shape.nodes()), false);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const NodeIndex place = embedding.shape.index(coordinates[i]);
    if (taken[static_cast<std::size_t>(place)]) return std::nullopt;
    taken[static_cast<std::size_t>(place)] = true;
    embedding.place[static_cast<std::size_t>(vertices[i])] = place;
  }
  return embedding;
}

}  // namespace cuboid::detail::recognition
