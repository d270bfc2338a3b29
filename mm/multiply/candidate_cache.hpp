#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/element.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply_options.hpp>

#include "mm/matrix/element_types.hpp"
#include "mm/multiply/plan_request.hpp"
#include "mm/plan/planner.hpp"
#include "mm/plan/rates.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace cuboid::detail {

using Candidates = std::shared_ptr<const std::vector<PlanCandidate>>;

/// A product as all ranks know it. Equal products are planned once. The number of threads does not
/// belong to it, because ranks may have different numbers.
struct ProductToPlan {
  ElementType type = ElementType::float64;
  ProductLayouts product;
  MultiplyOptions options;

  bool operator==(const ProductToPlan&) const = default;
};

/// The cached candidates for an equal product of this communicator. If there are none, `weigh`
/// finds the candidates, which are then cached. The most recently used candidates stay in the
/// cache. Collective if `weigh` is: equal calls on all ranks find the same entries.
Candidates cached_candidates(const Communicator& communicator, const ProductToPlan& wanted,
                             const std::function<std::vector<PlanCandidate>()>& weigh);

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
