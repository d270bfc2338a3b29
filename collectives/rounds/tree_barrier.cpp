#include "collectives/rounds/tree_barrier.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

/// The ranks that notify their parents at this distance: their next digit is 0.
std::vector<Exchange> arrivals(int ranks, int radix, int distance, std::optional<int> only) {
  const std::int64_t stride = std::int64_t{distance} * radix;
  std::vector<Exchange> round;
  const auto add = [&](int parent) {
    const auto end = static_cast<int>(std::min<std::int64_t>(parent + stride, ranks));
    for (int child = parent + distance; child < end; child += distance) {
      if (!only || *only == parent || *only == child)
        round.push_back({.sender = child, .receiver = parent});
    }
  };
  if (!only) {
    for (std::int64_t parent = 0; parent < ranks; parent += stride) add(static_cast<int>(parent));
  } else if (*only % distance == 0) {
    add(static_cast<int>(*only - *only % stride));
  }
  return round;
}

}  // namespace

Rounds tree_barrier(int ranks, int radix, std::optional<int> only) {
  Rounds rounds{.ranks = ranks};
  for (std::int64_t distance = 1; distance < ranks; distance *= radix)
    rounds.rounds.push_back(arrivals(ranks, radix, static_cast<int>(distance), only));
  for (std::size_t up = rounds.rounds.size(); up > 0; --up) {
    std::vector<Exchange> round = rounds.rounds[up - 1];
    for (Exchange& exchange : round) std::swap(exchange.sender, exchange.receiver);
    rounds.rounds.push_back(std::move(round));
  }
  return rounds;
}

}  // namespace cuboid::detail
