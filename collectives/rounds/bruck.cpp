#include "collectives/rounds/bruck.hpp"

#include "collectives/rounds/dissemination.hpp"
#include "topology/shape/distances.hpp"

#include <utility>

namespace cuboid::detail {

Rounds bruck_alltoall(const Shape& shape, std::optional<int> only) {
  const auto ranks = static_cast<int>(shape.nodes());
  Rounds rounds{.ranks = ranks, .packed = true};
  for (int axis = shape.dimensions() - 1; axis >= 0; --axis) {
    for (int distance = 1; distance < shape.extent(axis); distance *= 2) {
      std::vector<int> blocks;
      for (int block = 0; block < ranks; ++block) {
        if ((shape.coordinate(block, axis) & distance) != 0) blocks.push_back(block);
      }
      auto& round = rounds.rounds.emplace_back();
      for (const int rank : senders_upwards(shape, axis, distance, only)) {
        round.push_back({.sender = rank,
                         .receiver = static_cast<int>(node_above(shape, axis, rank, distance)),
                         .blocks = blocks});
      }
    }
  }
  return rounds;
}

}  // namespace cuboid::detail
