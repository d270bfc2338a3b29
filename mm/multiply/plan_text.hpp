#pragma once

#include "mm/plan/planner.hpp"

#include <string>
#include <vector>

namespace cuboid::detail {

/// Plans as text.

/// The grid, e.g. "2x3" or "4x2x1", with the number of rounds if there are several: "4x2x2 in 8
/// rounds".
std::string describe_grid(const PlanCandidate& candidate);

/// A table of the candidates, followed by the reason for choosing the first.
std::string explain(const std::vector<PlanCandidate>& candidates, const PlanRequest& request);

}  // namespace cuboid::detail
