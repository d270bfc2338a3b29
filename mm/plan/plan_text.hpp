#pragma once

#include "mm/plan/planner.hpp"

#include <string>
#include <vector>

namespace cuboid::detail {

/// Plans as people read them.

/// "4x2x1", "2x3", with rounds where there are several: "4x2x2 in 8 rounds".
std::string describe_grid(const PlanCandidate& candidate);

/// The candidates as a table, and why the first one won.
std::string explain(const std::vector<PlanCandidate>& candidates, const PlanRequest& request);

}  // namespace cuboid::detail
