#pragma once

#include "collectives/algorithms/algorithm.hpp"

namespace cuboid::detail {

/// What rounds take whose ranks do not all do the same: some ranks are asked what they send and
/// receive in each (NetworkLines). In step the rounds of the busiest follow each other. Otherwise a
/// rank that has no part in a round waits for its first message alone, and what the others bring it
/// comes while they go on. Infinite, if there are more rounds than could be quick, or more blocks
/// than can be looked at.
/// @param conditions  the call's, not in pieces.
double seconds_of_asked_rounds(const Call& call, const Algorithm& algorithm,
                               const Settings& settings, const Conditions& conditions);

}  // namespace cuboid::detail
