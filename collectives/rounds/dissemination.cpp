#include "collectives/rounds/dissemination.hpp"

#include "topology/shape/distances.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cuboid::detail {

std::vector<int> senders_upwards(const Shape& shape, int axis, int distance,
                                 std::optional<int> only) {
  if (only) return {*only, static_cast<int>(node_above(shape, axis, *only, -distance))};
  std::vector<int> everyone(static_cast<std::size_t>(shape.nodes()));
  std::iota(everyone.begin(), everyone.end(), 0);
  return everyone;
}

Rounds dissemination_barrier(int ranks, std::optional<int> only) {
  Rounds rounds{.ranks = ranks};
  const Shape ring = ring_of(ranks);
  for (int distance = 1; distance < ranks; distance *= 2) {
    auto& round = rounds.rounds.emplace_back();
    for (const int sender : senders_upwards(ring, 0, distance, only))
      round.push_back({.sender = sender, .receiver = (sender + distance) % ranks});
  }
  return rounds;
}

Rounds dissemination_allgather(int ranks, std::optional<int> only) {
  Rounds rounds{.ranks = ranks};
  const Shape ring = ring_of(ranks);
  for (int distance = 1; distance < ranks; distance *= 2) {
    const int count = std::min(distance, ranks - distance);
    auto& round = rounds.rounds.emplace_back();
    for (const int rank : senders_upwards(ring, 0, -distance, only)) {
      std::vector<int> blocks;
      for (int offset = 0; offset < count; ++offset) blocks.push_back((rank + offset) % ranks);
      std::sort(blocks.begin(), blocks.end());
      round.push_back({.sender = rank,
                       .receiver = (rank - distance + ranks) % ranks,
                       .blocks = std::move(blocks),
                       .combine = false});
    }
  }
  return rounds;
}

}  // namespace cuboid::detail
