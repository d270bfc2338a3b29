#pragma once

#include "collectives/schedules/rounds.hpp"

#include <optional>

namespace cuboid::detail {

/// Along a k-nomial tree (k = `radix`, at least 2) to rank 0 and back: twice ⌈log_k p⌉ rounds, but
/// only 2·(p − 1) messages, the fewest there can be; with `radix` of p two rounds. All of these
/// make all ranks' rounds, or with `only` that rank's part of them.

/// Barrier: rank 0 hears from all others and then tells them all.
Rounds tree_barrier(int ranks, int radix, std::optional<int> only = {});

/// All-gather: blocks are gathered at rank 0, then all of them are broadcast.
Rounds tree_allgather(int ranks, int radix, std::optional<int> only = {});

/// Reduce-scatter: the whole message is reduced to rank 0, in rank order, and its blocks are then
/// scattered.
Rounds tree_reduce_scatter(int ranks, int radix, std::optional<int> only = {});

}  // namespace cuboid::detail
