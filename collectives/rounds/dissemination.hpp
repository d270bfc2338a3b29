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

/// All-gather by dissemination (Bruck): in round t every rank passes all blocks it has (its own and
/// those of the ranks above it) to the one 2^t below. ⌈log2 p⌉ rounds for any p, (p − 1)/p of the
/// output received once.
Rounds dissemination_allgather(int ranks, std::optional<int> only = {});

/// The ranks whose messages to those `distance` above them along an axis concern `only`, or all.
std::vector<int> senders_upwards(const Shape& shape, int axis, int distance,
                                 std::optional<int> only);

}  // namespace cuboid::detail
