#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/local_gemm.hpp>

#include "mm/plan/planner.hpp"

#include <vector>

namespace cuboid::detail::tools {

/// The best candidate of every algorithm that can multiply; the one that Cuboid would choose comes
/// first. Collective because the rate of the local gemm is measured.
std::vector<PlanCandidate> multiplications_to_try(const Communicator& communicator,
                                                  const ProductSize& size, const LocalGemm& gemm);

/// Seconds of `times` runs of a candidate on random matrices on the slowest rank, measured after a
/// warm-up (see warm_up()). Collective.
std::vector<double> measured_multiplication(const Communicator& communicator,
                                            const ProductSize& size, const LocalGemm& gemm,
                                            const PlanCandidate& candidate, int times);

}  // namespace cuboid::detail::tools
