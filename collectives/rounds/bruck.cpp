#include "collectives/rounds/bruck.hpp"

#include "collectives/rounds/dissemination.hpp"
#include "topology/shape/distances.hpp"

namespace cuboid::detail {

Rounds bruck_alltoall(int ranks, std::optional<int> only) {
  Rounds rounds{.ranks = ranks, .packed = true};
  for (int distance = 1; distance < ranks; distance *= 2) {
    std::vector<int> blocks;
    for (int block = distance; block < ranks; ++block) {
      if ((block & distance) != 0) blocks.push_back(block);
    }
    auto& round = rounds.rounds.emplace_back();
    for (const int rank : senders_upwards(ring_of(ranks), 0, distance, only)) {
      round.push_back({.sender = rank, .receiver = (rank + distance) % ranks, .blocks = blocks});
    }
  }
  return rounds;
}

}  // namespace cuboid::detail
