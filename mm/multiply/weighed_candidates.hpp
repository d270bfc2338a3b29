#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply_options.hpp>

#include "mm/matrix/element_types.hpp"
#include "mm/multiply/candidate_cache.hpp"
#include "mm/multiply/plan_request.hpp"
#include "mm/plan/rates.hpp"

#include <utility>

namespace cuboid::detail {

/// The candidates for a product of matrices with layouts, of which multiply() takes the first.
/// Collective. Throws on all ranks what plan_request() and candidates_for() throw, and
/// Error(out_of_memory) if no candidate fits.
template <MatrixElement T>
Candidates weighed_candidates(const Communicator& communicator, const ProductLayouts& product,
                              const LocalGemm& gemm, const MultiplyOptions& options) {
  PlanRequest request = plan_request(product, sizeof(T), communicator.size(), options);
  return cached_candidates(communicator, {element_type_of<T>(), product, options}, [&] {
    request.placement = placement_of(communicator);
    const Rates rates = options.planned_by_usual_rate
                            ? rates_of(communicator, usual_gemm_rate<T>())
                            : rates_of<T>(communicator, gemm, request.size);
    auto candidates = candidates_for(request, rates, options);
    cheapest(candidates, request);
    return candidates;
  });
}

}  // namespace cuboid::detail
