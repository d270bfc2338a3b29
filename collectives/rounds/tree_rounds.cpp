#include "collectives/rounds/tree_rounds.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

BlockSet blocks_from(int first, int end) {
  return BlockSet::consecutive(first, end - first);
}

// One round towards rank 0. Every parent, a multiple of `distance` · `radix`, receives from the
// ranks `distance`, 2·`distance`, … above it. `blocks(child, end)`: the blocks that a child sends
// for the ranks from itself up to `end`.
template <class Blocks>
std::vector<Exchange> arrivals(int ranks, int radix, int distance, std::optional<int> only,
                               const Blocks& blocks) {
  const std::int64_t stride = std::int64_t{distance} * radix;
  std::vector<Exchange> round;
  const auto add = [&](int parent) {
    const auto end = static_cast<int>(std::min<std::int64_t>(parent + stride, ranks));
    for (int child = parent + distance; child < end; child += distance) {
      if (!only || *only == parent || *only == child)
        round.push_back({.sender = child,
                         .receiver = parent,
                         .blocks = blocks(child, std::min(child + distance, end))});
    }
  };
  if (!only) {
    for (std::int64_t parent = 0; parent < ranks; parent += stride) add(static_cast<int>(parent));
  } else if (*only % distance == 0) {
    add(static_cast<int>(*only - *only % stride));
  }
  return round;
}

template <class Blocks>
Rounds to_rank_0(int ranks, int radix, std::optional<int> only, const Blocks& blocks) {
  Rounds rounds{.ranks = ranks};
  for (std::int64_t distance = 1; distance < ranks; distance *= radix)
    rounds.rounds.push_back(arrivals(ranks, radix, static_cast<int>(distance), only, blocks));
  return rounds;
}

template <class Blocks>
Rounds from_rank_0(int ranks, int radix, std::optional<int> only, const Blocks& blocks) {
  Rounds rounds = to_rank_0(ranks, radix, only, blocks);
  std::ranges::reverse(rounds.rounds);
  for (auto& round : rounds.rounds) {
    for (Exchange& exchange : round) std::swap(exchange.sender, exchange.receiver);
  }
  return rounds;
}

Rounds one_after_the_other(Rounds first, Rounds second) {
  std::ranges::move(second.rounds, std::back_inserter(first.rounds));
  return first;
}

}  // namespace

Rounds tree_barrier(int ranks, int radix, std::optional<int> only) {
  const auto nothing = [](int, int) { return BlockSet{}; };
  return one_after_the_other(to_rank_0(ranks, radix, only, nothing),
                             from_rank_0(ranks, radix, only, nothing));
}

Rounds tree_allgather(int ranks, int radix, std::optional<int> only) {
  // All blocks in one message, although the receiver has some of them.
  const auto all = [ranks](int, int) { return blocks_from(0, ranks); };
  return one_after_the_other(to_rank_0(ranks, radix, only, blocks_from),
                             from_rank_0(ranks, radix, only, all));
}

Rounds tree_reduce_scatter(int ranks, int radix, std::optional<int> only) {
  const auto all = [ranks](int, int) { return blocks_from(0, ranks); };
  Rounds reduction = to_rank_0(ranks, radix, only, all);
  for (auto& round : reduction.rounds) {
    for (Exchange& exchange : round) exchange.combine = true;
  }
  return one_after_the_other(std::move(reduction), from_rank_0(ranks, radix, only, blocks_from));
}

}  // namespace cuboid::detail
