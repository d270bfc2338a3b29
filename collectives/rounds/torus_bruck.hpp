#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/rounds.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

/// 1, 3, 9, …: as many as the ways round a ring, half of it at most, have balanced ternary digits.
std::vector<int> powers_of_three(int positions);

/// The digit, −1, 0 or 1, of this power in the shorter way to a position of a ring.
int ternary_digit(int position, int positions, int power);

/// All-to-all of equal blocks along one axis after the other, the last first, of a shape that
/// numbers the ranks; all axes are taken for rings. As Bruck's, but that the way along an axis is
/// written in balanced ternary digits: in the round of a power of three the blocks whose digit is 1
/// go so far up, those whose digit is −1 as far down, and take the places of those with the same
/// numbers there. ⌈log3 n⌉ rounds, or one more, in each of which a rank sends two thirds of its
/// blocks at most, half of them either way. Blocks are numbered by how far they have to go
/// (node_at()): block d of a rank is at last the one that the rank d below it had for it.
Rounds torus_bruck_alltoall(const Shape& shape, std::optional<int> only = {});

}  // namespace cuboid::detail
