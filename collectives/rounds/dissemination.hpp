#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/rounds.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

/// All of these make the rounds of all ranks, or with `only` that rank's part of them.

/// Barrier by dissemination: in round t every rank tells the one 2^t above it (round the end) that
/// it and all it has heard from have arrived. ⌈log2 p⌉ rounds for any p.
Rounds dissemination_barrier(int ranks, std::optional<int> only = {});

/// All-gather by dissemination (Bruck) along one axis after the other, the last first, of a shape
/// that numbers the ranks: in round t of an axis of extent n every rank passes all blocks it has
/// (its own, those of earlier axes, and those of the ranks above it) to the one 2^t below. ⌈log2 n⌉
/// rounds for any n, (p − 1)/p of the output received once.
Rounds dissemination_allgather(const Shape& shape, std::optional<int> only = {});

/// The ranks whose messages to those `distance` above them along an axis concern `only`, or all.
std::vector<int> senders_upwards(const Shape& shape, int axis, int distance,
                                 std::optional<int> only);

}  // namespace cuboid::detail
