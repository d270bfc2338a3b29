#include "tools/validate/validate_mm.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply.hpp>

#include "mm/multiply/make_multiplication.hpp"
#include "mm/multiply/plan_request.hpp"
#include "mm/plan/rates.hpp"
#include "tools/command/timed_runs.hpp"

#include <algorithm>

namespace cuboid::detail::tools {

std::vector<PlanCandidate> multiplications_to_try(const Communicator& communicator,
                                                  const ProductSize& size, const LocalGemm& gemm) {
  PlanRequest request = plan_request(size, sizeof(double), communicator.size(), {});
  request.placement = placement_of(communicator);
  const Rates rates = rates_of(communicator, gemm_rate<double>(communicator, gemm));
  std::vector<PlanCandidate> tried;
  for (const PlanCandidate& candidate : candidates_for(request, rates, {})) {
    const bool known = std::ranges::any_of(
        tried, [&](const PlanCandidate& other) { return other.algorithm == candidate.algorithm; });
    if (!known && candidate.fits) tried.push_back(candidate);
  }
  return tried;
}

std::vector<double> measured_multiplication(const Communicator& communicator,
                                            const ProductSize& size, const LocalGemm& gemm,
                                            const PlanCandidate& candidate, int times) {
  const ProductLayouts stored = required_layouts(size, Op::none, Op::none, candidate);
  const InSharedMemory shared = operands_to_share(candidate);
  Matrix<double> A = make_operand<double>(communicator, stored.A, shared.a);
  Matrix<double> B = make_operand<double>(communicator, stored.B, shared.b);
  Matrix<double> C(communicator, stored.C);
  A.fill_random(1);
  B.fill_random(2);
  MultiplicationPlan<double> plan(communicator, stored, gemm,
                                  std::vector<PlanCandidate>{candidate});
  const auto meet = [&] { barrier(communicator); };
  const auto multiply = [&] { plan.run(1, A, B, 0, C); };
  warm_up(communicator, meet, multiply);
  std::vector<double> seconds;
  repeat(meet, multiply, times, seconds);
  return of_slowest(communicator, std::move(seconds));
}

}  // namespace cuboid::detail::tools
