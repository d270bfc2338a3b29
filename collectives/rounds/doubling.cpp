#include "collectives/rounds/doubling.hpp"

#include "topology/shape/distances.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <utility>

namespace cuboid::detail {

namespace {

constexpr int most_axes_at_once = 3;

int doubled(int extent) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(extent)));
}

int axes_with_a_last_step(const Shape& shape) {
  return static_cast<int>(std::ranges::count_if(
      shape.axes(), [](const Axis& axis) { return doubled(axis.extent) < axis.extent; }));
}

}  // namespace

std::vector<DoublingRound> doubling_rounds(const Shape& shape) {
  const DoublingRound none(static_cast<std::size_t>(shape.dimensions()), 0);
  std::vector<DoublingRound> rounds;
  // As many axes in each last round as in any other.
  int axes = axes_with_a_last_step(shape);
  int last_rounds = (axes + most_axes_at_once - 1) / most_axes_at_once;
  DoublingRound last = none;
  int waiting = 0;
  for (int axis = shape.dimensions() - 1; axis >= 0; --axis) {
    const auto along = static_cast<std::size_t>(axis);
    const int extent = shape.extent(axis);
    const int whole = doubled(extent);
    for (int distance = 1; distance < whole; distance *= 2) {
      rounds.push_back(none);
      rounds.back()[along] = distance;
    }
    if (whole == extent) continue;
    last[along] = whole;
    if (++waiting * last_rounds < axes) continue;
    rounds.push_back(std::exchange(last, none));
    axes -= std::exchange(waiting, 0);
    --last_rounds;
  }
  return rounds;
}

std::vector<std::vector<int>> messages_of(const DoublingRound& round) {
  std::vector<std::vector<int>> messages = {std::vector<int>(round.size(), 0)};
  for (std::size_t axis = 0; axis < round.size(); ++axis) {
    if (round[axis] == 0) continue;
    const std::size_t others = messages.size();
    for (std::size_t other = 0; other < others; ++other) {
      messages.push_back(messages[other]);
      messages.back()[axis] = round[axis];
    }
  }
  messages.erase(messages.begin());  // to nobody else
  return messages;
}

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
