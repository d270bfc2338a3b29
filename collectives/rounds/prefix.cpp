#include "collectives/rounds/prefix.hpp"

#include <numeric>
#include <vector>

namespace cuboid::detail {

namespace {

// From each rank to the next, in place of what that has.
std::vector<Exchange> shift(int ranks, const std::vector<int>& blocks) {
  std::vector<Exchange> round;
  for (int rank = 0; rank + 1 < ranks; ++rank)
    round.push_back({.sender = rank, .receiver = rank + 1, .blocks = blocks});
  return round;
}

}  // namespace

Rounds doubling_scan(int ranks, Prefix prefix) {
  Rounds rounds{.ranks = ranks};
  const int first = prefix == Prefix::exclusive ? 1 : 0;
  if (prefix == Prefix::exclusive && ranks > 1) rounds.rounds.push_back(shift(ranks, {0}));
  for (int distance = 1; first + distance < ranks; distance *= 2) {
    auto& round = rounds.rounds.emplace_back();
    for (int rank = first; rank + distance < ranks; ++rank)
      round.push_back(
          {.sender = rank, .receiver = rank + distance, .blocks = {0}, .combine = true});
  }
  return rounds;
}

Rounds chain_scan(int ranks, int pieces, Prefix prefix) {
  Rounds rounds{.ranks = ranks};
  std::vector<int> all(static_cast<std::size_t>(pieces));
  std::iota(all.begin(), all.end(), 0);
  const int first = prefix == Prefix::exclusive ? 1 : 0;
  if (prefix == Prefix::exclusive && ranks > 1) rounds.rounds.push_back(shift(ranks, all));
  for (int rank = first; rank + 1 < ranks; ++rank)
    rounds.rounds.push_back(
        {{.sender = rank, .receiver = rank + 1, .blocks = all, .combine = true}});
  return rounds;
}

}  // namespace cuboid::detail
