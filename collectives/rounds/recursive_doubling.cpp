#include "collectives/rounds/recursive_doubling.hpp"

#include <bit>

namespace cuboid::detail {

Rounds recursive_doubling_allreduce(int ranks) {
  Rounds rounds{.ranks = ranks};
  const int doubling_ranks = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
  const int folded =
      ranks - doubling_ranks;  // pairs (0, 1), (2, 3), … whose odd member takes part for both
  const auto participant = [&](int index) {
    return index < folded ? 2 * index + 1 : index + folded;
  };
  const auto one_block = [](int sender, int receiver, bool combine) {
    return Exchange{.sender = sender, .receiver = receiver, .blocks = {0}, .combine = combine};
  };

  if (folded > 0) {
    auto& fold = rounds.rounds.emplace_back();
    for (int pair = 0; pair < folded; ++pair)
      fold.push_back(one_block(2 * pair, 2 * pair + 1, true));
  }
  for (int distance = 1; distance < doubling_ranks; distance *= 2) {
    auto& round = rounds.rounds.emplace_back();
    for (int index = 0; index < doubling_ranks; ++index) {
      round.push_back(one_block(participant(index), participant(index ^ distance), true));
    }
  }
  if (folded > 0) {
    auto& unfold = rounds.rounds.emplace_back();
    for (int pair = 0; pair < folded; ++pair)
      unfold.push_back(one_block(2 * pair + 1, 2 * pair, false));
  }
  return rounds;
}

}  // namespace cuboid::detail
