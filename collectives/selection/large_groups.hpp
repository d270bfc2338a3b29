#pragma once

#include "collectives/algorithms/algorithm.hpp"

#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// All algorithms with each of their settings and predicted seconds, the fastest first. For groups
/// that have too many messages to simulate all of them, or whose ranks share the cores of a node.
/// If all ranks do the same, one rank is followed (SymmetricRounds); otherwise some ranks are asked
/// for their parts. An algorithm is left out if it cannot serve the group, settings are left out if
/// they take `most_times_the_fastest` times the seconds of the fastest or more. Asks ranks some
/// thousand times.
std::vector<Choice> choices_in_large_group(
    const Call& call, std::span<const Algorithm* const> algorithms,
    double most_times_the_fastest = std::numeric_limits<double>::infinity());

/// All algorithms with the best of their settings, the fastest first.
std::vector<Choice> best_of_each_in_large_group(const Call& call,
                                                std::span<const Algorithm* const> algorithms);

/// The first of choices_in_large_group().
std::optional<Choice> fastest_in_large_group(const Call& call,
                                             std::span<const Algorithm* const> algorithms);

}  // namespace cuboid::detail
