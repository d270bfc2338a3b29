#pragma once

#include "collectives/schedules/rounds.hpp"

#include <optional>

namespace cuboid::detail {

/// Both make the rounds of all ranks, or with `only` that rank's part of them.

/// Scan of one block by doubling (Hillis and Steele 1986): in round t every rank combines what the
/// rank 2^t below it has with its own on the right, so that it then has the contributions of
/// 2^(t+1) ranks. ⌈log2 p⌉ rounds of the whole message for any p. An exclusive scan begins with a
/// round in which every rank hands its contribution to the next, and goes on with those, from
/// rank 1.
Rounds doubling_scan(int ranks, Prefix prefix, std::optional<int> only = {});

/// Scan along the line of the ranks: each combines what the rank below it has with its own, and
/// hands it on. p − 1 rounds of one message each; cut into s pieces, p + s − 2 steps of a piece.
/// An exclusive scan begins as that of doubling_scan() does.
Rounds chain_scan(int ranks, int pieces, Prefix prefix, std::optional<int> only = {});

}  // namespace cuboid::detail
