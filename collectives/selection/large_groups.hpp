#pragma once

#include "collectives/algorithms/algorithm.hpp"

#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// What algorithms take, each with the best of its settings, the fastest first, in groups whose
/// messages are too many to simulate all, or whose ranks share the cores of a node. Of ranks that
/// do the same one is followed (SymmetricRounds), of others some are asked for their parts. Those
/// that cannot serve the group are left out. Operations: some thousand answers of ranks.
std::vector<Choice> choices_in_large_group(const Call& call,
                                           std::span<const Algorithm* const> algorithms);

/// The first of these. What cannot be the fastest is left alone early.
std::optional<Choice> fastest_in_large_group(const Call& call,
                                             std::span<const Algorithm* const> algorithms);

}  // namespace cuboid::detail
