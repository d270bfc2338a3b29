#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/local_lapack.hpp>

#include "mm/lu/factorise_plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// The fastest plan by prediction for each number of layers, and that plan's grid with half and
/// with twice its block length. The plan that Cuboid would choose comes first.
std::vector<FactorisePlan> factorisations_to_try(const Communicator& communicator, std::int64_t n,
                                                 Pivoting pivoting, const LocalGemm& gemm);

/// "tournament on 4x4x2, blocks of 64".
std::string describe(const FactorisePlan& plan, Pivoting pivoting);

/// Seconds of `times` factorisations of a random n×n matrix on the slowest rank, measured after a
/// warm-up (see warm_up()). Collective.
std::vector<double> measured_factorisation(const Communicator& communicator, std::int64_t n,
                                           const LocalKernels& kernels, const FactorisePlan& plan,
                                           Pivoting pivoting, int times);

}  // namespace cuboid::detail::tools
