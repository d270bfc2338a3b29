#include "bindings/scalapack/calls/multiplication_plan_cache.hpp"

#include "mm/multiply/plan_request.hpp"
#include "mm/plan/rates.hpp"

#include <complex>
#include <vector>

namespace cuboid::detail::scalapack {

namespace {

/// Excludes algorithms whose plans own memory that other ranks read: each rank must be able to
/// destroy a plan when it leaves the context, without waiting for the others.
template <MatrixElement T>
std::vector<PlanCandidate> candidates_without_windows(const Communicator& communicator,
                                                      const ProductLayouts& product,
                                                      const LocalGemm& gemm) {
  PlanRequest request = plan_request(product, sizeof(T), communicator.size(), {});
  request.placement = placement_of(communicator);
  std::vector<MultiplicationAlgorithm> algorithms;
  for (const MultiplicationAlgorithm algorithm : multiplication_algorithms()) {
    if (algorithm != MultiplicationAlgorithm::srumma) algorithms.push_back(algorithm);
  }
  return plan_candidates(request, rates_of<T>(communicator, gemm, request.size), algorithms);
}

}  // namespace

template <MatrixElement T>
MultiplicationPlan<T>& MultiplicationPlanCache::get(const Communicator& communicator,
                                                    const ProductLayouts& product,
                                                    const LocalGemm& gemm) {
  Plan& plan = plans_.get({element_type_of<T>(), product}, [&] {
    return MultiplicationPlan<T>(communicator, product, gemm,
                                 candidates_without_windows<T>(communicator, product, gemm));
  });
  return std::get<MultiplicationPlan<T>>(plan);
}

template MultiplicationPlan<float>& MultiplicationPlanCache::get(const Communicator&,
                                                                 const ProductLayouts&,
                                                                 const LocalGemm&);
template MultiplicationPlan<double>& MultiplicationPlanCache::get(const Communicator&,
                                                                  const ProductLayouts&,
                                                                  const LocalGemm&);
template MultiplicationPlan<std::complex<float>>& MultiplicationPlanCache::get(
    const Communicator&, const ProductLayouts&, const LocalGemm&);
template MultiplicationPlan<std::complex<double>>& MultiplicationPlanCache::get(
    const Communicator&, const ProductLayouts&, const LocalGemm&);

}  // namespace cuboid::detail::scalapack
