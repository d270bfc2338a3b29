#include "collectives/rounds/shape_numbers.hpp"

#include "topology/shape/distances.hpp"

#include <cstddef>
#include <numeric>
#include <utility>

namespace cuboid::detail {

NodeIndex number_of(const Shape& shape, std::span<const int> distances) {
  NodeIndex number = 0;
  for (int axis = 0; axis < shape.dimensions(); ++axis)
    number = number * shape.extent(axis) + distances[static_cast<std::size_t>(axis)];
  return number;
}

std::vector<int> senders(const Shape& shape, NodeIndex distance, std::optional<int> only) {
  if (only) return {*only, static_cast<int>(node_before(shape, *only, distance))};
  std::vector<int> everyone(static_cast<std::size_t>(shape.nodes()));
  std::iota(everyone.begin(), everyone.end(), 0);
  return everyone;
}

std::vector<int> nodes_at(const Shape& shape, std::span<const std::vector<int>> positions) {
  std::vector<int> nodes = {0};
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    const auto& along = positions[static_cast<std::size_t>(axis)];
    std::vector<int> further;
    further.reserve(nodes.size() * along.size());
    for (const int node : nodes) {
      for (const int position : along) further.push_back(node * shape.extent(axis) + position);
    }
    nodes = std::move(further);
  }
  return nodes;
}

}  // namespace cuboid::detail
