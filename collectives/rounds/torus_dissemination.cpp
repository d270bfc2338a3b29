#include "collectives/rounds/torus_dissemination.hpp"

#include "collectives/rounds/dissemination.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <cstddef>

namespace cuboid::detail {

namespace {

// The blocks of `count` positions along an axis, ascending, from the one that lies `first` above a
// rank on.
std::vector<int> blocks_along(const Shape& shape, int axis, int rank, int first, int count) {
  const int extent = shape.extent(axis);
  const auto stride = static_cast<int>(shape.stride(axis));
  const auto start = static_cast<int>(node_above(shape, axis, rank, first));
  const int here = shape.coordinate(start, axis);
  const int lowest = start - start % stride - here * stride;
  std::vector<int> blocks;
  blocks.reserve(static_cast<std::size_t>(count) * static_cast<std::size_t>(stride));
  const auto add = [&](int from, int end) {
    for (int block = lowest + from * stride; block < lowest + end * stride; ++block)
      blocks.push_back(block);
  };
  add(0, std::max(here + count - extent, 0));
  add(here, std::min(here + count, extent));
  return blocks;
}

}  // namespace

std::vector<RoundBothWays> rounds_both_ways(int positions) {
  std::vector<RoundBothWays> rounds;
  int known = 0;
  for (int missing = positions - 1; missing > 0;) {
    const int most = 2 * known + 1;
    const RoundBothWays round{known, std::min(most, (missing + 1) / 2),
                              std::min(most, missing / 2)};
    rounds.push_back(round);
    known += round.up;
    missing -= round.up + round.down;
  }
  return rounds;
}

Rounds torus_dissemination_allgather(const Shape& shape, std::optional<int> only) {
  Rounds rounds{.ranks = static_cast<int>(shape.nodes())};
  for (int axis = shape.dimensions() - 1; axis >= 0; --axis) {
    for (const auto [known, up, down] : rounds_both_ways(shape.extent(axis))) {
      auto& round = rounds.rounds.emplace_back();
      // So many go so far up, of the positions from `first` on as the sender sees them.
      const auto send = [&, &round = round](int distance, int first, int count) {
        for (const int rank : senders_upwards(shape, axis, distance, only))
          round.push_back({.sender = rank,
                           .receiver = static_cast<int>(node_above(shape, axis, rank, distance)),
                           .blocks = blocks_along(shape, axis, rank, first, count)});
      };
      send(-up, known + 1 - up, up);
      if (down > 0) send(down, -known, down);
    }
  }
  return rounds;
}

}  // namespace cuboid::detail
