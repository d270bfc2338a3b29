#pragma once

#include "collectives/schedules/rounds.hpp"

#include <optional>

namespace cuboid::detail {

/// All-reduce of one block by recursive doubling: partners at distance 1, 2, 4, … exchange and
/// combine their partial results. Where the rank count is no power of two, the first ranks fold
/// into pairs before and hand the result back after. Partial results always cover consecutive ranks
/// and are combined in rank order, so every rank computes the same bits and the operation need not
/// commute. ⌊log2 p⌋ rounds, two more off powers of two. With
/// `only`: that rank's part.
Rounds recursive_doubling_allreduce(int ranks, std::optional<int> only = {});

}  // namespace cuboid::detail
