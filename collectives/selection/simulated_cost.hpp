#pragma once

#include "collectives/algorithms/algorithm.hpp"

#include <optional>

namespace cuboid::detail {

/// The cost of an algorithm by the simulator, which, unlike formulas, knows which messages meet on
/// which cables. Trees get the longest segments that are within 2% of the best, as every message
/// also costs CPU time. Of long pipelines only a part is simulated, as further segments take equal
/// times.
///
/// nullopt if the formulas must do: within a node, on unknown cables, for large groups, and for
/// calls of which a rank knows only its own blocks. Pure; takes some milliseconds.
/// @param estimate  the algorithm's own price and settings.
std::optional<CostEstimate> simulated_cost(const Call& call, const Algorithm& algorithm,
                                           const CostEstimate& estimate);

}  // namespace cuboid::detail
