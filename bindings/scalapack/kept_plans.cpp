#include "bindings/scalapack/kept_plans.hpp"

#include "mm/multiply/plan_request.hpp"
#include "mm/plan/rates.hpp"

#include <algorithm>
#include <complex>
#include <vector>

namespace cuboid::detail::scalapack {

namespace {

bool equal(const ProductLayouts& one, const ProductLayouts& other) {
  return one.A == other.A && one.B == other.B && one.C == other.C && one.op_a == other.op_a &&
         one.op_b == other.op_b;
}

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
  return plan_candidates(request, rates_of<T>(communicator, gemm), algorithms);
}

}  // namespace

template <MatrixElement T>
MultiplicationPlan<T>& KeptPlans::get(const Communicator& communicator,
                                      const ProductLayouts& product, const LocalGemm& gemm) {
  const auto found = std::ranges::find_if(plans_, [&](const CachedPlan& kept) {
    return std::holds_alternative<MultiplicationPlan<T>>(kept.plan) && equal(kept.product, product);
  });
  if (found != plans_.end()) {
    plans_.splice(plans_.begin(), plans_, found);
  } else {
    if (plans_.size() == most) plans_.pop_back();
    plans_.push_front({product, MultiplicationPlan<T>(
                                    communicator, product, gemm,
                                    candidates_without_windows<T>(communicator, product, gemm))});
  }
  return std::get<MultiplicationPlan<T>>(plans_.front().plan);
}

template MultiplicationPlan<float>& KeptPlans::get(const Communicator&, const ProductLayouts&,
                                                   const LocalGemm&);
template MultiplicationPlan<double>& KeptPlans::get(const Communicator&, const ProductLayouts&,
                                                    const LocalGemm&);
template MultiplicationPlan<std::complex<float>>& KeptPlans::get(const Communicator&,
                                                                 const ProductLayouts&,
                                                                 const LocalGemm&);
template MultiplicationPlan<std::complex<double>>& KeptPlans::get(const Communicator&,
                                                                  const ProductLayouts&,
                                                                  const LocalGemm&);

}  // namespace cuboid::detail::scalapack
