#include "collectives/rounds/dissemination.hpp"

#include <algorithm>

namespace cuboid::detail {

Rounds dissemination_barrier(int ranks) {
  Rounds rounds{.ranks = ranks};
  for (int distance = 1; distance < ranks; distance *= 2) {
    auto& round = rounds.rounds.emplace_back();
    for (int rank = 0; rank < ranks; ++rank) {
      round.push_back({.sender = rank, .receiver = (rank + distance) % ranks});
    }
  }
  return rounds;
}

Rounds central_barrier(int ranks) {
  Rounds rounds{.ranks = ranks, .rounds = {{}, {}}};
  for (int rank = 1; rank < ranks; ++rank) {
    rounds.rounds[0].push_back({.sender = rank, .receiver = 0});
    rounds.rounds[1].push_back({.sender = 0, .receiver = rank});
  }
  return rounds;
}

Rounds dissemination_allgather(int ranks) {
  Rounds rounds{.ranks = ranks};
  for (int distance = 1; distance < ranks; distance *= 2) {
    const int count = std::min(distance, ranks - distance);
    auto& round = rounds.rounds.emplace_back();
    for (int rank = 0; rank < ranks; ++rank) {
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
