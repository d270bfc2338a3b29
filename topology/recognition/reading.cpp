#include "topology/recognition/reading.hpp"

#include "topology/recognition/canonical.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace cuboid::detail::recognition {
namespace {

/// The place of each vertex in the canonical shape; -1 if it has none.
std::vector<NodeIndex> places_of(const Shape& shape, const std::vector<AxisReading>& axes,
                                 const Embedding& embedding) {
  std::vector<NodeIndex> places = embedding.place;
  for (std::size_t vertex = 0; vertex < places.size(); ++vertex) {
    if (places[vertex] < 0) continue;
    NodeIndex place = 0;
    for (int axis = 0; axis < shape.dimensions(); ++axis) {
      place = place * shape.extent(axis) + axes[static_cast<std::size_t>(axis)].position[vertex];
    }
    places[vertex] = place;
  }
  return places;
}

/// The cable of the shape between two neighbouring places, given by the place that it leaves in +
/// direction. On a wrapping axis of extent 2 it is the cable that leaves position 0.
ShapeCable shape_cable(const Shape& shape, NodeIndex one, NodeIndex other, int axis) {
  return {shape.neighbour(one, axis, +1) == other && (shape.extent(axis) > 2 || one < other)
              ? one
              : other,
          axis};
}

/// Compares the cables of one edge with the cables that the shape has there.
void compare_cables(const Network& network, const GraphEdge& edge, const AxisReading& axis,
                    ShapeCable here, Recognition& result) {
  const bool doubled = axis.axis == Axis{2, true};
  const auto wanted = static_cast<std::size_t>(axis.parallel_cables) * (doubled ? 2 : 1);
  for (std::size_t i = 0; i < edge.cables.size(); ++i) {
    const int cable = edge.cables[i];
    const double rate = network.links()[2 * static_cast<std::size_t>(cable)].bytes_per_second;
    if (i >= wanted) {
      result.left_over_cables.push_back(cable);
    } else if (rate != axis.bytes_per_second) {
      result.off_rate_cables.push_back(here);
      if (rate < axis.bytes_per_second) result.slow_cables.push_back(here);
    }
  }
  for (std::size_t i = edge.cables.size(); i < wanted; ++i) result.missing_cables.push_back(here);
}

void find_missing(const Graph& graph, const std::vector<AxisReading>& axes,
                  const std::vector<NodeIndex>& places, Recognition& result) {
  const Shape& shape = result.shape;
  std::vector<int> occupant(static_cast<std::size_t>(shape.nodes()), -1);
  for (std::size_t vertex = 0; vertex < places.size(); ++vertex) {
    if (places[vertex] >= 0) {
      occupant[static_cast<std::size_t>(places[vertex])] = static_cast<int>(vertex);
    }
  }
  for (NodeIndex place = 0; place < shape.nodes(); ++place) {
    const int here = occupant[static_cast<std::size_t>(place)];
    if (here < 0) {
      result.missing_nodes.push_back(place);
      continue;
    }
    for (int axis = 0; axis < shape.dimensions(); ++axis) {
      const NodeIndex next = shape.neighbour(place, axis, +1);
      if (next < 0 || occupant[static_cast<std::size_t>(next)] < 0) continue;
      if (graph.edge_between(here, occupant[static_cast<std::size_t>(next)]) >= 0) continue;
      const int parallel = axes[static_cast<std::size_t>(axis)].parallel_cables;
      for (int i = 0; i < parallel; ++i) result.missing_cables.push_back({place, axis});
    }
  }
}

}  // namespace

std::optional<Recognition> read_off(const Network& network, const Graph& graph,
                                    const Embedding& embedding) {
  const std::vector<AxisReading> axes = canonical_axes(network, graph, embedding);
  if (axes.size() > Shape::max_axes) return std::nullopt;

  Recognition result;
  std::vector<Axis> kinds;
  for (const AxisReading& axis : axes) {
    kinds.push_back(axis.axis);
    result.parallel_cables.push_back(axis.parallel_cables);
    result.bytes_per_second.push_back(axis.bytes_per_second * axis.parallel_cables);
  }
  result.shape = Shape(std::move(kinds));
  result.through_switches = graph.through_switches();
  const std::vector<NodeIndex> places = places_of(result.shape, axes, embedding);

  for (const GraphEdge& edge : graph.edges()) {
    const int axis = axis_between(axes, edge.a, edge.b);
    if (axis < 0) {
      result.left_over_cables.insert(result.left_over_cables.end(), edge.cables.begin(),
                                     edge.cables.end());
      continue;
    }
    const ShapeCable here = shape_cable(result.shape, places[static_cast<std::size_t>(edge.a)],
                                        places[static_cast<std::size_t>(edge.b)], axis);
    compare_cables(network, edge, axes[static_cast<std::size_t>(axis)], here, result);
  }
  find_missing(graph, axes, places, result);

  for (int node = 0; node < network.nodes(); ++node) {
    const int vertex = graph.vertex_of(node);
    const NodeIndex place = vertex < 0 ? -1 : places[static_cast<std::size_t>(vertex)];
    result.place.push_back(place);
    if (place < 0) result.left_over_nodes.push_back(node);
  }
  std::ranges::sort(result.left_over_cables);
  result.whole = result.left_over_nodes.empty() && result.left_over_cables.empty();
  return result;
}

}  // namespace cuboid::detail::recognition
