#pragma once

#include "collectives/schedules/rounds.hpp"

#include <optional>

namespace cuboid::detail {

/// Barrier along a k-nomial tree (k = `radix`, at least 2): rank 0 hears from all others through it
/// and then tells them all. Twice ⌈log_k p⌉ rounds, but only 2·(p − 1) messages; with `radix` of p
/// two rounds. All ranks' rounds, or with `only` that rank's part of them.
Rounds tree_barrier(int ranks, int radix, std::optional<int> only = {});

}  // namespace cuboid::detail
