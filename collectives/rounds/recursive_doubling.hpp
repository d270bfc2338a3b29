#pragma once

#include "collectives/schedules/rounds.hpp"

#include <optional>

namespace cuboid::detail {

/// An all-reduce of one block by recursive doubling: partners at distances 1, 2, 4, … exchange and
/// combine their partial results. If the number of ranks is no power of two, the first ranks form
/// pairs: one rank of a pair hands its contribution to the other before the rounds, and gets the
/// result after them. Partial results cover consecutive ranks and are combined in rank order, so
/// all ranks get the same bits and the operation need not commute. ⌊log2 p⌋ rounds, and two more if
/// p is no power of two.
/// @param only  make only what this rank takes part in.
Rounds recursive_doubling_allreduce(int ranks, std::optional<int> only = {});

}  // namespace cuboid::detail
