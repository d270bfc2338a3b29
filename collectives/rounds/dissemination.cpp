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

namespace {

// Those of `count` positions along an axis, from a rank's own upwards, ascending: at each all
// blocks that differ in later axes only.
std::vector<int> blocks_above(const Shape& shape, int axis, int rank, int count) {
  const int extent = shape.extent(axis);
  const auto stride = static_cast<int>(shape.stride(axis));
  const int here = shape.coordinate(rank, axis);
  const int first = rank - rank % stride - here * stride;
  std::vector<int> blocks;
  blocks.reserve(static_cast<std::size_t>(count) * static_cast<std::size_t>(stride));
  const auto add = [&](int from, int end) {
    for (int block = first + from * stride; block < first + end * stride; ++block)
      blocks.push_back(block);
  };
  add(0, std::max(here + count - extent, 0));
  add(here, std::min(here + count, extent));
  return blocks;
}

}  // namespace

Rounds dissemination_allgather(const Shape& shape, std::optional<int> only) {
  Rounds rounds{.ranks = static_cast<int>(shape.nodes())};
  for (int axis = shape.dimensions() - 1; axis >= 0; --axis) {
    const int extent = shape.extent(axis);
    for (int distance = 1; distance < extent; distance *= 2) {
      const int count = std::min(distance, extent - distance);
      auto& round = rounds.rounds.emplace_back();
      for (const int rank : senders_upwards(shape, axis, -distance, only)) {
        round.push_back({.sender = rank,
                         .receiver = static_cast<int>(node_above(shape, axis, rank, -distance)),
                         .blocks = blocks_above(shape, axis, rank, count)});
      }
    }
  }
  return rounds;
}

}  // namespace cuboid::detail
