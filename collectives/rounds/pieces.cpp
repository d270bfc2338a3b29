#include "collectives/rounds/pieces.hpp"

#include "collectives/rounds/dissemination.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace cuboid::detail {

namespace {

void append(Rounds& rounds, Rounds further) {
  std::move(further.rounds.begin(), further.rounds.end(), std::back_inserter(rounds.rounds));
}

// Block v belongs to the rank v above the root; binomial from the last step's distance down.
Rounds binomial_scatter(int ranks, int root) {
  Rounds rounds{.ranks = ranks};
  const int steps = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
  for (int step = steps - 1; step >= 0; --step) {
    const int distance = 1 << step;
    auto& round = rounds.rounds.emplace_back();
    for (int parent = 0; parent + distance < ranks; parent += 2 * distance) {
      const int end = std::min(parent + 2 * distance, ranks);
      Exchange exchange{.sender = (parent + root) % ranks,
                        .receiver = (parent + distance + root) % ranks};
      for (int block = parent + distance; block < end; ++block) exchange.blocks.push_back(block);
      round.push_back(std::move(exchange));
    }
  }
  return rounds;
}

// Takes out of a broadcast's messages the blocks that their receivers have.
void drop_what_is_known(Rounds& rounds, int root) {
  const auto ranks = static_cast<std::size_t>(rounds.ranks);
  std::vector<std::vector<bool>> has(ranks, std::vector<bool>(ranks, false));
  has[static_cast<std::size_t>(root)].assign(ranks, true);
  for (auto& round : rounds.rounds) {
    for (Exchange& exchange : round) {
      auto& known = has[static_cast<std::size_t>(exchange.receiver)];
      std::erase_if(exchange.blocks,
                    [&](int block) { return known[static_cast<std::size_t>(block)]; });
      for (const int block : exchange.blocks) known[static_cast<std::size_t>(block)] = true;
    }
    std::erase_if(round, [](const Exchange& exchange) { return exchange.blocks.empty(); });
  }
}

}  // namespace

Rounds dissemination_reduce_scatter(int ranks) {
  Rounds rounds = dissemination_allgather(ranks);
  std::reverse(rounds.rounds.begin(), rounds.rounds.end());
  for (auto& round : rounds.rounds) {
    for (Exchange& exchange : round) {
      std::swap(exchange.sender, exchange.receiver);
      exchange.combine = true;
    }
  }
  return rounds;
}

Rounds halving_doubling_allreduce(int ranks) {
  Rounds rounds = dissemination_reduce_scatter(ranks);
  append(rounds, dissemination_allgather(ranks));
  return rounds;
}

Rounds van_de_geijn_broadcast(int ranks, int root) {
  Rounds rounds = binomial_scatter(ranks, root);
  Rounds gathering = dissemination_allgather(ranks);
  for (auto& round : gathering.rounds) {
    for (Exchange& exchange : round) {
      exchange.sender = (exchange.sender + root) % ranks;
      exchange.receiver = (exchange.receiver + root) % ranks;
    }
  }
  append(rounds, std::move(gathering));
  drop_what_is_known(rounds, root);
  return rounds;
}

}  // namespace cuboid::detail
