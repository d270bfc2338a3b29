#pragma once

#include <cuboid/multiply_options.hpp>
#include <cuboid/product_layouts.hpp>

#include "mm/plan/planner.hpp"

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// What the planner is to choose for, as the options say it, for matrices that are not laid out
/// yet. Throws Error(invalid_argument) for options that make no sense.
PlanRequest plan_request(const ProductSize& size, std::size_t element_bytes, int ranks,
                         const MultiplyOptions& options);

/// The candidates for a request: those of the algorithm that the options name, or of all that can
/// be run and heed them. None where there is no algorithm for what was fixed. Throws what
/// plan_candidates() does.
std::vector<PlanCandidate> candidates_for(const PlanRequest& request, const Rates& rates,
                                          const MultiplyOptions& options);

}  // namespace cuboid::detail
