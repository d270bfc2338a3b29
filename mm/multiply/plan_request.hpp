#pragma once

#include <cuboid/multiply_options.hpp>
#include <cuboid/product_layouts.hpp>

#include "mm/plan/planner.hpp"

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// The planner's request for matrices without layouts yet. Throws Error(invalid_argument) for
/// invalid options.
PlanRequest plan_request(const ProductSize& size, std::size_t element_bytes, int ranks,
                         const MultiplyOptions& options);

/// The candidates for a request: those of the algorithm that the options name, or of all algorithms
/// that can run and heed the options. Empty if there are none. Throws as plan_candidates().
std::vector<PlanCandidate> candidates_for(const PlanRequest& request, const Rates& rates,
                                          const MultiplyOptions& options);

}  // namespace cuboid::detail
