#include "collectives/rounds/prefix.hpp"

#include <algorithm>
#include <vector>

namespace cuboid::detail {

namespace {

// An exchange from each rank of [first, ranks - distance) to the rank `distance` above it; with
// `only`, the exchanges of that rank.
std::vector<Exchange> upwards(int first, int ranks, int distance, const Exchange& like,
                              std::optional<int> only) {
  std::vector<Exchange> round;
  const int end = ranks - distance;
  const auto add = [&](int sender) {
    if (sender < first || sender >= end) return;
    Exchange exchange = like;
    exchange.sender = sender;
    exchange.receiver = sender + distance;
    round.push_back(std::move(exchange));
  };
  if (only) {
    add(*only - distance);
    add(*only);
  } else {
    for (int sender = first; sender < end; ++sender) add(sender);
  }
  return round;
}

// Adds the first round of an exclusive scan, in which the contribution of every rank replaces that
// of the next rank. Returns the first rank that has something to send afterwards.
int begin(Rounds& rounds, Prefix prefix, const BlockSet& blocks, std::optional<int> only) {
  if (prefix == Prefix::inclusive) return 0;
  if (rounds.ranks > 1)
    rounds.rounds.push_back(upwards(0, rounds.ranks, 1, {.blocks = blocks}, only));
  return 1;
}

}  // namespace

Rounds doubling_scan(int ranks, Prefix prefix, std::optional<int> only) {
  Rounds rounds{.ranks = ranks};
  const int first = begin(rounds, prefix, {0}, only);
  for (int distance = 1; first + distance < ranks; distance *= 2) {
    rounds.rounds.push_back(
        upwards(first, ranks, distance, {.blocks = {0}, .combine = true}, only));
  }
  return rounds;
}

Rounds chain_scan(int ranks, int pieces, Prefix prefix, std::optional<int> only) {
  Rounds rounds{.ranks = ranks};
  const BlockSet all = BlockSet::consecutive(0, pieces);
  for (int rank = begin(rounds, prefix, all, only); rank + 1 < ranks; ++rank) {
    auto& round = rounds.rounds.emplace_back();
    if (only && rank != *only && rank + 1 != *only) continue;
    round.push_back({.sender = rank, .receiver = rank + 1, .blocks = all, .combine = true});
  }
  return rounds;
}

}  // namespace cuboid::detail
