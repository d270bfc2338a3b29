#pragma once

#include "collectives/algorithms/algorithm.hpp"

#include <optional>

namespace cuboid::detail {

/// What an algorithm takes by the simulator, which knows which messages meet on which cables:
/// formulas do not. Trees get the longest segments that are as good as the best within 2%, since
/// every message also costs cores something. Long pipelines are simulated in part, as each further
/// segment takes what the one before took.
///
/// nullopt where the formulas have to do: within a node, where cables are not known, for large
/// groups, and for calls of which a rank knows only its own blocks. Pure; some milliseconds.
/// @param estimate  the algorithm's own price and settings.
std::optional<CostEstimate> simulated_cost(const Call& call, const Algorithm& algorithm,
                                           const CostEstimate& estimate);

}  // namespace cuboid::detail
