#include "collectives/rounds/bruck.hpp"

#include "collectives/rounds/doubling.hpp"
#include "topology/shape/distances.hpp"

#include <cstddef>
#include <utility>

namespace cuboid::detail {

namespace {

// The numbers that a message takes along an axis: those with its digit, without that of others.
std::vector<int> positions(int extent, int with, int without) {
  std::vector<int> some;
  for (int position = 0; position < extent; ++position) {
    if ((position & with) == with && (position & without) == 0) some.push_back(position);
  }
  return some;
}

}  // namespace

std::vector<std::vector<DigitMessage>> bruck_messages(const Shape& shape) {
  std::vector<std::vector<DigitMessage>> rounds;
  for (const DoublingRound& round : doubling_rounds(shape)) {
    auto& messages = rounds.emplace_back();
    for (std::vector<int>& distances : messages_of(round)) {
      std::vector<int> of_others = round;
      for (std::size_t axis = 0; axis < round.size(); ++axis) of_others[axis] -= distances[axis];
      messages.push_back({std::move(distances), std::move(of_others)});
    }
  }
  return rounds;
}

Rounds bruck_alltoall(const Shape& shape, std::optional<int> only) {
  Rounds rounds{.ranks = static_cast<int>(shape.nodes()), .packed = true};
  for (const auto& messages : bruck_messages(shape)) {
    auto& round = rounds.rounds.emplace_back();
    for (const DigitMessage& message : messages) {
      const NodeIndex distance = number_of(shape, message.distances);
      std::vector<std::vector<int>> along;
      for (int axis = 0; axis < shape.dimensions(); ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        along.push_back(positions(shape.extent(axis), message.distances[a], message.of_others[a]));
      }
      const std::vector<int> blocks = nodes_at(shape, along);
      for (const int sender : senders(shape, distance, only)) {
        round.push_back({.sender = sender,
                         .receiver = static_cast<int>(node_at(shape, sender, distance)),
                         .blocks = blocks});
      }
    }
  }
  return rounds;
}

}  // namespace cuboid::detail
