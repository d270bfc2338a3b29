#pragma once

#include "collectives/algorithms/algorithm.hpp"

#include <optional>

namespace cuboid::detail {

/// Simulated seconds of an algorithm on a group of one rank per node, up to some thousands of
/// ranks. Blocks are equal. nullopt if the simulation would take minutes. Pure; takes up to some
/// seconds.
std::optional<double> simulated_seconds(const Call& call, const Algorithm& algorithm,
                                        const Settings& settings);

}  // namespace cuboid::detail
