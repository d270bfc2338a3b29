#pragma once

#include "collectives/schedules/rounds.hpp"

#include <optional>

namespace cuboid::detail {

// These functions go along a k-nomial tree (k = `radix`, at least 2) to rank 0 and back, in
// 2·⌈log_k p⌉ rounds of 2·(p − 1) messages, the fewest possible. With radix p there are two rounds.
// They make the rounds of all ranks, or with `only` the part of one rank.

/// A barrier: rank 0 learns that all others have arrived, and then tells them.
Rounds tree_barrier(int ranks, int radix, std::optional<int> only = {});

/// An all-gather: the blocks are gathered at rank 0, which broadcasts them.
Rounds tree_allgather(int ranks, int radix, std::optional<int> only = {});

/// A reduce-scatter: the message is reduced to rank 0 in rank order, and its blocks are scattered.
Rounds tree_reduce_scatter(int ranks, int radix, std::optional<int> only = {});

}  // namespace cuboid::detail
