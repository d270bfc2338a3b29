#pragma once

#include "collectives/schedules/rounds.hpp"

#include <optional>

namespace cuboid::detail {

// These functions make the rounds of all ranks, or with `only` the part of one rank.

/// A scan of one block by doubling (Hillis and Steele 1986). In round t every rank puts what the
/// rank 2^t below it has on the left of its own partial result, which then holds the contributions
/// of 2^(t+1) ranks. ⌈log2 p⌉ rounds of the whole message for any p. An exclusive scan begins with
/// a round in which every rank sends its contribution to the next rank; the other rounds combine
/// what was received, from rank 1 on.
Rounds doubling_scan(int ranks, Prefix prefix, std::optional<int> only = {});

/// A scan along the line of the ranks: each rank combines what it receives from the rank below with
/// its own contribution, and sends the result to the rank above. p − 1 rounds of one message. A
/// message of s pieces is pipelined: p + s − 2 steps of a piece. An exclusive scan begins as in
/// doubling_scan().
Rounds chain_scan(int ranks, int pieces, Prefix prefix, std::optional<int> only = {});

}  // namespace cuboid::detail
