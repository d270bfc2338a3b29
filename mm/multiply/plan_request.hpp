#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/multiply.hpp>

#include "mm/plan/planner.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The planner's request for matrices without layouts yet. Throws Error(invalid_argument) for a
/// negative memory limit; check_request() checks the rest.
PlanRequest plan_request(const ProductSize& size, std::size_t element_bytes, int ranks,
                         const MultiplyOptions& options);

/// The planner's request for matrices in these layouts. Also throws Error(invalid_argument) if
/// their shapes do not multiply.
PlanRequest plan_request(const ProductLayouts& product, std::size_t element_bytes, int ranks,
                         const MultiplyOptions& options);

/// The candidates of the given algorithms. Candidates that fit come first, ordered by time. There
/// is one exception: the very first is, among the algorithms within 3% of the fastest (`as_fast`),
/// the one with the least memory. Of each algorithm only those grids are listed that are
/// Pareto-optimal in time and memory. Pure; the same on every rank.
///
/// Words are those of Kwasniewski et al. 2019, table 3, in whole rows and columns, without the
/// words that a rank owns. Time follows Hockney's model (Quintin et al. 2013, §IV). A broadcast
/// counts as many messages as a binomial tree has steps. If grids are mapped onto a torus or mesh,
/// A's and B's words arrive at the same time, each over as many links as its lines have. Otherwise
/// they arrive one after the other over one link. A rank receives its messages one after the other:
/// a share of 1/rounds before it can begin, the rest during the gemm if the machine overlaps. Sums
/// of C follow at the end. Throws what check_request() throws.
std::vector<PlanCandidate> plan_candidates(
    const PlanRequest& request, const Rates& rates,
    std::span<const MultiplicationAlgorithm> algorithms = multiplication_algorithms());

/// The candidates for a request: the candidates of the algorithm that the options name, or of all
/// algorithms that can run and accept the options. With MultiplyOptions::on_devices only algorithms
/// count that multiply in devices' memory, unless none of their candidates fits. Empty if there are
/// none. Throws as plan_candidates().
std::vector<PlanCandidate> candidates_for(const PlanRequest& request, const Rates& rates,
                                          const MultiplyOptions& options);

}  // namespace cuboid::detail
