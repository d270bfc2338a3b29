#pragma once

#include "collectives/schedules/rounds.hpp"

namespace cuboid::detail {

/// Barrier by dissemination: in round t every rank tells the one 2^t above it (round the end) that
/// it and all it has heard from have arrived. ⌈log2 p⌉ rounds for any p.
Rounds dissemination_barrier(int ranks);

/// Barrier by way of rank 0, which hears from every other rank and then tells them all. Two rounds.
Rounds central_barrier(int ranks);

/// All-gather by dissemination (Bruck): in round t every rank passes all blocks it has (its own and
/// those of the ranks above it) to the one 2^t below. ⌈log2 p⌉ rounds for any p, (p − 1)/p of the
/// output received once.
Rounds dissemination_allgather(int ranks);

}  // namespace cuboid::detail
