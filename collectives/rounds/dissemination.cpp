#include "collectives/rounds/dissemination.hpp"

#include "collectives/rounds/doubling.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace cuboid::detail {

Rounds dissemination_barrier(int ranks, std::optional<int> only) {
  Rounds rounds{.ranks = ranks};
  const Shape ring = ring_of(ranks);
  for (int distance = 1; distance < ranks; distance *= 2) {
    auto& round = rounds.rounds.emplace_back();
    for (const int sender : senders(ring, distance, only))
      round.push_back({.sender = sender, .receiver = (sender + distance) % ranks});
  }
  return rounds;
}

namespace {

// So many positions along every axis, from a rank's own upwards, ascending.
std::vector<int> blocks_above(const Shape& shape, int rank, const std::vector<int>& counts) {
  std::vector<std::vector<int>> positions;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    const int extent = shape.extent(axis);
    const int here = shape.coordinate(rank, axis);
    const int count = counts[static_cast<std::size_t>(axis)];
    auto& along = positions.emplace_back();
    for (int position = 0; position < here + count - extent; ++position) along.push_back(position);
    for (int position = here; position < std::min(here + count, extent); ++position)
      along.push_back(position);
  }
  return nodes_at(shape, positions);
}

}  // namespace

std::vector<std::vector<BoxMessage>> dissemination_messages(const Shape& shape) {
  std::vector<int> known(static_cast<std::size_t>(shape.dimensions()), 1);
  std::vector<std::vector<BoxMessage>> rounds;
  for (const DoublingRound& round : doubling_rounds(shape)) {
    std::vector<int> missing = known;
    for (std::size_t axis = 0; axis < round.size(); ++axis) {
      if (round[axis] > 0)
        missing[axis] = std::min(round[axis], shape.extent(static_cast<int>(axis)) - round[axis]);
    }
    auto& messages = rounds.emplace_back();
    for (std::vector<int>& distances : messages_of(round)) {
      std::vector<int> extents = known;
      for (std::size_t axis = 0; axis < round.size(); ++axis) {
        if (distances[axis] > 0) extents[axis] = missing[axis];
      }
      messages.push_back({std::move(distances), std::move(extents)});
    }
    for (std::size_t axis = 0; axis < round.size(); ++axis) {
      if (round[axis] > 0) known[axis] = round[axis] + missing[axis];
    }
  }
  return rounds;
}

Rounds dissemination_allgather(const Shape& shape, std::optional<int> only) {
  Rounds rounds{.ranks = static_cast<int>(shape.nodes()), .packed = shape.dimensions() > 1};
  for (const auto& messages : dissemination_messages(shape)) {
    auto& round = rounds.rounds.emplace_back();
    for (const BoxMessage& message : messages) {
      const NodeIndex distance = number_of(shape, message.distances);
      for (const int receiver : senders(shape, distance, only)) {
        const auto sender = static_cast<int>(node_at(shape, receiver, distance));
        round.push_back({.sender = sender,
                         .receiver = receiver,
                         .blocks = blocks_above(shape, sender, message.extents)});
      }
    }
  }
  return rounds;
}

}  // namespace cuboid::detail
