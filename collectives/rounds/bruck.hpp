#pragma once

#include "collectives/schedules/rounds.hpp"

#include <optional>

namespace cuboid::detail {

/// All-to-all of equal blocks (Bruck et al. 1997). Every rank numbers its blocks by how many ranks
/// up they have to go, 0 to p − 1; in round t the blocks whose number has bit t set go 2^t ranks
/// up, and take the places of those with the same numbers there. ⌈log2 p⌉ rounds for any p, in each
/// of which a rank sends about half its blocks. Block d of a rank is at last the one that the rank
/// d below it had for it.
Rounds bruck_alltoall(int ranks, std::optional<int> only = {});

}  // namespace cuboid::detail
