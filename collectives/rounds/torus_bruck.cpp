#include "collectives/rounds/torus_bruck.hpp"

#include "collectives/rounds/dissemination.hpp"
#include "topology/shape/distances.hpp"

#include <cstdint>

namespace cuboid::detail {

namespace {

std::vector<int> blocks_with_digit(const Shape& shape, int axis, int power, int digit) {
  std::vector<int> blocks;
  for (int block = 0; block < static_cast<int>(shape.nodes()); ++block) {
    if (ternary_digit(shape.coordinate(block, axis), shape.extent(axis), power) == digit)
      blocks.push_back(block);
  }
  return blocks;
}

}  // namespace

std::vector<int> powers_of_three(int positions) {
  std::vector<int> powers;
  for (int power = 1; power <= 2 * (positions / 2); power *= 3) powers.push_back(power);
  return powers;
}

int ternary_digit(int position, int positions, int power) {
  const std::int64_t way = position > positions / 2 ? position - positions : position;
  const std::int64_t above_zero = std::int64_t{3} * power * positions;  // its digit is 0
  const auto digit = static_cast<int>((way + power / 2 + above_zero) / power % 3);
  return digit == 2 ? -1 : digit;
}

Rounds torus_bruck_alltoall(const Shape& shape, std::optional<int> only) {
  Rounds rounds{.ranks = static_cast<int>(shape.nodes()), .packed = true};
  for (int axis = shape.dimensions() - 1; axis >= 0; --axis) {
    for (const int power : powers_of_three(shape.extent(axis))) {
      auto& round = rounds.rounds.emplace_back();
      for (const int digit : {1, -1}) {
        const std::vector<int> blocks = blocks_with_digit(shape, axis, power, digit);
        if (blocks.empty()) continue;
        const int distance = digit * power;
        for (const int rank : senders_upwards(shape, axis, distance, only))
          round.push_back({.sender = rank,
                           .receiver = static_cast<int>(node_above(shape, axis, rank, distance)),
                           .blocks = blocks});
      }
    }
  }
  return rounds;
}

}  // namespace cuboid::detail
