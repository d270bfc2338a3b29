#pragma once

#include "collectives/prices/cost_estimate.hpp"
#include "collectives/prices/deepest_branch.hpp"
#include "models/messages/tree_steps.hpp"

#include <span>

namespace cuboid::detail {

/// What the cores need for so many edges of trees, each of which carries `slice` bytes in segments.
double core_seconds_of_edges(const Call& call, double edges, double slice, double segment);

/// Pipelined trees that take these steps (see steps_of), `trees` at once for an equal part of the
/// message each, and `further` seconds that messages to distant nodes take longer.
CostEstimate estimate_trees(const Call& call, TreeSteps steps, int trees, double further = 0);

/// The same, the first segment taking what the deepest branch of these trees takes.
CostEstimate estimate_trees(const Call& call, TreeSteps steps, std::span<const RelativesOf> trees);

}  // namespace cuboid::detail
