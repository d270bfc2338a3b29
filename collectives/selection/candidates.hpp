#pragma once

#include "collectives/algorithms/algorithm.hpp"

#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// Whether all messages that candidates for a call send can be followed one by one, and all ranks
/// know of them.
bool are_few_messages(const Call& call);

/// What algorithms take with the best of their settings, as simulated, the fastest first. Those
/// that cannot serve the group are left out.
std::vector<Choice> best_of_each(const Call& call, std::span<const Algorithm* const> algorithms);

/// The fastest of all with all their settings; of equals the first. What by its least time cannot
/// win is not simulated. nullopt if none can serve the group.
std::optional<Choice> fastest(const Call& call, std::span<const Algorithm* const> algorithms);

/// The same by whole runs, of segments of every length: what fastest() is held against. Slow.
std::optional<Choice> fastest_in_whole(const Call& call,
                                       std::span<const Algorithm* const> algorithms);

/// What a choice takes in a whole run.
double seconds_in_whole(const Call& call, const Choice& choice);

}  // namespace cuboid::detail
