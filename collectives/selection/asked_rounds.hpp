#pragma once

#include "collectives/algorithms/algorithm.hpp"

namespace cuboid::detail {

/// Predicts the seconds of rounds in which ranks do different things. Some ranks (NetworkLines) are
/// asked what they send and receive in each round. In lockstep, the rounds of the busiest rank
/// follow each other. Otherwise a rank without a part in a round waits only for the round's first
/// message; the messages of others arrive while it goes on. Infinite if there are more rounds than
/// could be fast, or more blocks than can be inspected.
/// @param conditions  the call's conditions, not cut into pieces
double seconds_of_asked_rounds(const Call& call, const Algorithm& algorithm,
                               const Settings& settings, const Conditions& conditions);

}  // namespace cuboid::detail
