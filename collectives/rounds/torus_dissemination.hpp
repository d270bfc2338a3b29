#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/rounds.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

/// A round along a ring, of whose positions one has as many blocks on either side as `known`. It
/// gets those of `up` more from the position so far above it, and of `down` more from below.
struct RoundBothWays {
  int known = 0;
  int up = 1;
  int down = 0;
};

/// Three times as many blocks after each round as before: ⌈log3 n⌉ rounds. The last of them gets
/// what is missing from the nearest positions that have it.
std::vector<RoundBothWays> rounds_both_ways(int positions);

/// All-gather along one axis after the other, the last first, of a shape that numbers the ranks;
/// all axes are taken for rings, both of whose directions are in use. A bundle along an axis is the
/// blocks of all that differ in later axes only. (p − 1)/p of the output received once.
Rounds torus_dissemination_allgather(const Shape& shape, std::optional<int> only = {});

}  // namespace cuboid::detail
