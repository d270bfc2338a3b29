#include "bindings/c/handles.hpp"
#include "collectives/communicator/communicator_state.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace cuboid::detail::c;
using cuboid::Neighbourhood;

namespace {

/// The place of a rank: the node's number in the box, and the rank's position among the ranks of
/// the node.
struct Seat {
  int node;
  int turn;
};

const cuboid::detail::GroupNodes& nodes_of(cuboid_communicator communicator) {
  return of(communicator).state().cost_model.nodes;
}

Seat seat_of(const cuboid::detail::GroupNodes& nodes, int rank) {
  for (int node = 0; node < nodes.nodes(); ++node) {
    const auto& ranks = nodes.ranks_of_node[static_cast<std::size_t>(node)];
    const auto found = std::ranges::find(ranks, rank);
    if (found != ranks.end()) return {node, static_cast<int>(found - ranks.begin())};
  }
  refuse("rank " + std::to_string(rank) + " is not in this communicator");
}

const cuboid::Shape& shape_of(const cuboid::detail::GroupNodes& nodes) {
  if (!nodes.shape) {
    throw cuboid::Error(cuboid::ErrorCode::unsupported,
                        "the ranks of this communicator fill no box of nodes: they have neither "
                        "coordinates nor lines, and its shape has no axes");
  }
  return *nodes.shape;
}

template <class Make>
void give(cuboid_neighbourhood* to, const Make& make) {
  cuboid::detail::c::give(to, "the pointer to a neighbourhood",
                          [&] { return new cuboid_neighbourhood_s{make()}; });
}

/// A list of neighbours as a span.
std::span<const int> ranks(std::size_t count, const int* list) {
  if (count == 0) return {};
  return {&required(list, "the list of neighbours"), count};
}

}  // namespace

int cuboid_topology_shape(cuboid_communicator communicator, int* dimensions, int* extents,
                          int* wraps) {
  return guarded([&] {
    const auto& shape = nodes_of(communicator).shape;
    required(dimensions, "the pointer to the dimensions") = shape ? shape->dimensions() : 0;
    for (int axis = 0; shape && axis < shape->dimensions(); ++axis) {
      if (extents != nullptr) extents[axis] = shape->extent(axis);
      if (wraps != nullptr) wraps[axis] = shape->wraps(axis) ? 1 : 0;
    }
  });
}

int cuboid_topology_coordinate(cuboid_communicator communicator, int rank, int* coordinate) {
  return guarded([&] {
    const auto& nodes = nodes_of(communicator);
    const auto found = shape_of(nodes).coordinate(seat_of(nodes, rank).node);
    std::ranges::copy(found, &required(coordinate, "the coordinate"));
  });
}

int cuboid_topology_line(cuboid_communicator communicator, int axis, cuboid_communicator* line) {
  return guarded([&] {
    const auto& nodes = nodes_of(communicator);
    const cuboid::Shape& shape = shape_of(nodes);
    if (axis < 0 || axis >= shape.dimensions())
      refuse("axis " + std::to_string(axis) + " of " + std::to_string(shape.dimensions()));
    const Seat seat = seat_of(nodes, of(communicator).rank());
    cuboid::Coordinate coordinate = shape.coordinate(seat.node);
    const int place = std::exchange(coordinate[static_cast<std::size_t>(axis)], 0);
    const auto first = static_cast<int>(shape.index(coordinate));
    give(line, [&] { return of(communicator).split(seat.turn * nodes.nodes() + first, place); });
  });
}

int cuboid_topology_same_node(cuboid_communicator communicator, int rank, int* same) {
  return guarded(
      [&] { required(same, "the pointer to an answer") = of(communicator).same_node(rank); });
}

int cuboid_neighbourhood_graph(size_t sources, const int* source_ranks, size_t destinations,
                               const int* destination_ranks, cuboid_neighbourhood* neighbourhood) {
  return guarded([&] {
    give(neighbourhood, [&] {
      return Neighbourhood::graph(ranks(sources, source_ranks),
                                  ranks(destinations, destination_ranks));
    });
  });
}

int cuboid_neighbourhood_grid(int dimensions, const int* extents, const int* wraps, int rank,
                              cuboid_neighbourhood* neighbourhood) {
  return guarded([&] {
    // Checked before the lists are read, because the lists would be too short.
    if (dimensions < 0 || dimensions > cuboid::Shape::max_axes) {
      refuse("a grid of " + std::to_string(dimensions) + " dimensions; give 0 to " +
             std::to_string(cuboid::Shape::max_axes));
    }
    std::vector<cuboid::Axis> axes;
    for (int axis = 0; axis < dimensions; ++axis)
      axes.push_back({(&required(extents, "the extents"))[axis],
                      (&required(wraps, "whether axes wrap"))[axis] != 0});
    give(neighbourhood, [&] { return Neighbourhood::grid(cuboid::Shape(std::move(axes)), rank); });
  });
}

int cuboid_neighbourhood_free(cuboid_neighbourhood* neighbourhood) {
  return free_handle(neighbourhood);
}
