#include "collectives/rounds/dissemination.hpp"

#include "collectives/rounds/shape_numbers.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <bit>
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

// The nodes of a message's box that begins at a rank, in ascending order.
std::vector<int> box_above(const Shape& shape, int rank, const BoxMessage& box) {
  std::vector<std::vector<int>> positions;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    auto& along = positions.emplace_back();
    for (int number = 0; number < box.counts[a]; ++number)
      along.push_back((shape.coordinate(rank, axis) + number * box.strides[a]) %
                      shape.extent(axis));
    std::ranges::sort(along);
  }
  return nodes_at(shape, positions);
}

// The number of positions of an extent that are multiples of a stride.
int multiples(int extent, int stride) {
  return (extent + stride - 1) / stride;
}

// On a single ring the blocks of a message lie together if short distances come first.
std::vector<BoxMessage> nearest_first(int extent) {
  std::vector<BoxMessage> messages;
  for (int distance = 1; distance < extent; distance *= 2)
    messages.push_back({{distance}, {std::min(distance, extent - distance)}, {1}});
  return messages;
}

}  // namespace

std::vector<BoxMessage> dissemination_messages(const Shape& shape) {
  if (shape.dimensions() == 1) return nearest_first(shape.extent(0));
  const auto longest =
      static_cast<unsigned>(std::ranges::max(shape.axes(), {}, &Axis::extent).extent);
  const std::vector<int> none(static_cast<std::size_t>(shape.dimensions()), 0);
  std::vector<int> counts(none.size(), 1);
  std::vector<int> strides(none.size(), static_cast<int>(std::bit_ceil(longest)));
  std::vector<BoxMessage> messages;
  for (int distance = strides.front() / 2; distance > 0; distance /= 2) {
    for (int axis = 0; axis < shape.dimensions(); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (distance >= shape.extent(axis)) continue;
      BoxMessage& message = messages.emplace_back(BoxMessage{none, counts, strides});
      message.distances[a] = distance;
      message.counts[a] = multiples(shape.extent(axis) - distance, 2 * distance);
      message.strides[a] = 2 * distance;
      strides[a] = distance;
      counts[a] = multiples(shape.extent(axis), distance);
    }
  }
  return messages;
}

Rounds dissemination_allgather(const Shape& shape, std::optional<int> only) {
  Rounds rounds{.ranks = static_cast<int>(shape.nodes()), .packed = shape.dimensions() > 1};
  for (const BoxMessage& message : dissemination_messages(shape)) {
    auto& round = rounds.rounds.emplace_back();
    const NodeIndex distance = number_of(shape, message.distances);
    for (const int receiver : senders(shape, distance, only)) {
      const auto sender = static_cast<int>(node_at(shape, receiver, distance));
      round.push_back({.sender = sender,
                       .receiver = receiver,
                       .blocks = BlockSet(box_above(shape, sender, message))});
    }
  }
  return rounds;
}

}  // namespace cuboid::detail
