#include "collectives/rounds/recursive_doubling.hpp"

#include <algorithm>
#include <bit>

namespace cuboid::detail {

Rounds recursive_doubling_allreduce(int ranks, std::optional<int> only) {
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

  // With `only`: the rank's pair, whether it waits for its partner, and its number among those that
  // take part in the doubling.
  const int first_pair = only ? *only / 2 : 0;
  const int end_of_pairs = only ? std::min(first_pair + 1, folded) : folded;
  const bool stands_by = only && *only < 2 * folded && *only % 2 == 0;
  const int own = !only ? 0 : *only < 2 * folded ? *only / 2 : *only - folded;

  if (folded > 0) {
    auto& fold = rounds.rounds.emplace_back();
    for (int pair = first_pair; pair < end_of_pairs; ++pair)
      fold.push_back(one_block(2 * pair, 2 * pair + 1, true));
  }
  for (int distance = 1; distance < doubling_ranks; distance *= 2) {
    auto& round = rounds.rounds.emplace_back();
    const auto send_from = [&](int index) {
      round.push_back(one_block(participant(index), participant(index ^ distance), true));
    };
    if (only && !stands_by) {
      send_from(own);
      send_from(own ^ distance);
    }
    for (int index = 0; !only && index < doubling_ranks; ++index) send_from(index);
  }
  if (folded > 0) {
    auto& unfold = rounds.rounds.emplace_back();
    for (int pair = first_pair; pair < end_of_pairs; ++pair)
      unfold.push_back(one_block(2 * pair + 1, 2 * pair, false));
  }
  return rounds;
}

}  // namespace cuboid::detail
