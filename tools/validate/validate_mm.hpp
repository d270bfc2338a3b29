#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/local_gemm.hpp>

#include "mm/plan/planner.hpp"

#include <vector>

namespace cuboid::detail::tools {

/// The best candidate of every algorithm that can multiply, the one that would be chosen first.
/// Collective, as the rate of the local gemm is measured.
std::vector<PlanCandidate> multiplications_to_try(const Communicator& communicator,
                                                  const ProductSize& size, const LocalGemm& gemm);

/// Seconds of `times` runs of a candidate on random matrices, each as long as its slowest rank,
/// after some that do not count (warm_up()). Collective.
std::vector<double> measured_multiplication(const Communicator& communicator,
                                            const ProductSize& size, const LocalGemm& gemm,
                                            const PlanCandidate& candidate, int times);

}  // namespace cuboid::detail::tools
