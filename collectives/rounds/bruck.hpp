#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/rounds.hpp"

#include <optional>

namespace cuboid::detail {

/// All-to-all of equal blocks along the axes of a shape that numbers the ranks; along one axis that
/// of Bruck et al. (1997). Every rank numbers its blocks by how far they have to go (node_at()); in
/// round t of an axis of extent n the blocks whose distance along it has bit t set go 2^t up, and
/// take the places of those with the same numbers there. ⌈log2 n⌉ rounds for any n, in each of
/// which a rank sends about half its blocks. Block d of a rank is at last the one that the rank d
/// below it had for it.
Rounds bruck_alltoall(const Shape& shape, std::optional<int> only = {});

}  // namespace cuboid::detail
