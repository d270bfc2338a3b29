#pragma once

#include "collectives/algorithms/algorithm.hpp"

#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// True if there are few enough ranks to simulate every message of every candidate for a call, and
/// all ranks know all messages.
bool are_few_messages(const Call& call);

/// Each algorithm with the best of its settings and its simulated seconds, the fastest first.
/// Algorithms that cannot serve the group are left out.
std::vector<Choice> best_of_each(const Call& call, std::span<const Algorithm* const> algorithms);

/// The fastest of all algorithms with all settings; among equally fast ones, the first in the
/// table. Candidates that cannot win, as their lower bounds show, are not simulated. nullopt if no
/// algorithm can serve the group.
std::optional<Choice> fastest(const Call& call, std::span<const Algorithm* const> algorithms);

/// True if a call has more messages than are_few_messages() allows, but few enough to simulate some
/// candidates.
bool are_moderately_many_messages(const Call& call);

/// A prediction without a simulation may be wrong by this factor, because it does not know which
/// messages share links.
inline constexpr double most_times_wrong = 4;

/// The fastest of some choices, which are sorted by their predicted seconds, as the simulator finds
/// it. A choice that takes too long to simulate keeps its predicted seconds.
Choice fastest_of(const Call& call, std::span<const Choice> predicted);

/// Like fastest(), but simulates whole runs with segments of every length, in order to check
/// fastest(). Slow.
std::optional<Choice> fastest_in_whole(const Call& call,
                                       std::span<const Algorithm* const> algorithms);

/// Simulated seconds of a whole run of a choice.
double seconds_in_whole(const Call& call, const Choice& choice);

}  // namespace cuboid::detail
