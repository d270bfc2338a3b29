#include "collectives/rounds/pieces.hpp"

#include "collectives/rounds/dissemination.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace cuboid::detail {

namespace {

void append(Rounds& rounds, Rounds further) {
  std::move(further.rounds.begin(), further.rounds.end(), std::back_inserter(rounds.rounds));
}

// Block v belongs to the rank v above the root. The longest distance of the tree comes first.
Rounds binomial_scatter(int ranks, int root, std::optional<int> only) {
  Rounds rounds{.ranks = ranks};
  const int steps = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
  for (int step = steps - 1; step >= 0; --step) {
    const int distance = 1 << step;
    auto& round = rounds.rounds.emplace_back();
    const auto send_from = [&](int parent) {
      if (parent + distance >= ranks) return;
      const int end = std::min(parent + 2 * distance, ranks);
      round.push_back(
          {.sender = (parent + root) % ranks,
           .receiver = (parent + distance + root) % ranks,
           .blocks = BlockSet::consecutive(parent + distance, end - parent - distance)});
    };
    if (!only) {
      for (int parent = 0; parent < ranks; parent += 2 * distance) send_from(parent);
    } else if (const int own = (*only - root + ranks) % ranks; own % distance == 0) {
      send_from(own - own % (2 * distance));
    }
  }
  return rounds;
}

// The number of consecutive blocks, from its own on, that the rank `number` above the root has
// after the scatter.
int scattered_to(int number, int ranks) {
  return number == 0 ? ranks : std::min(number & -number, ranks - number);
}

}  // namespace

Rounds dissemination_reduce_scatter(const Shape& shape, std::optional<int> only) {
  Rounds rounds = dissemination_allgather(shape, only);
  std::reverse(rounds.rounds.begin(), rounds.rounds.end());
  for (auto& round : rounds.rounds) {
    for (Exchange& exchange : round) {
      std::swap(exchange.sender, exchange.receiver);
      exchange.combine = true;
    }
  }
  return rounds;
}

Rounds halving_doubling_allreduce(int ranks, std::optional<int> only) {
  const Shape ring = ring_of(ranks);
  Rounds rounds = dissemination_reduce_scatter(ring, only);
  append(rounds, dissemination_allgather(ring, only));
  return rounds;
}

Rounds van_de_geijn_broadcast(int ranks, int root, std::optional<int> only) {
  Rounds rounds = binomial_scatter(ranks, root, only);
  const auto number = [&](int rank) { return (rank - root + ranks) % ranks; };
  Rounds gathering =
      dissemination_allgather(ring_of(ranks), only ? std::optional(number(*only)) : std::nullopt);
  for (auto& round : gathering.rounds) {
    for (Exchange& exchange : round) {
      const int receiver = exchange.receiver;
      const int known = scattered_to(receiver, ranks);
      BlockSet missing;
      for (const int block : exchange.blocks) {
        if ((block - receiver + ranks) % ranks >= known) missing.push_back(block);
      }
      exchange.blocks = std::move(missing);
      exchange.sender = (exchange.sender + root) % ranks;
      exchange.receiver = (exchange.receiver + root) % ranks;
    }
    std::erase_if(round, [](const Exchange& exchange) { return exchange.blocks.empty(); });
  }
  append(rounds, std::move(gathering));
  return rounds;
}

}  // namespace cuboid::detail
