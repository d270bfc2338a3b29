#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/local_lapack.hpp>

#include "mm/lu/factorise_plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// The soonest done of each number of layers, and with that grid half and twice its block; the one
/// that would be chosen first.
std::vector<FactorisePlan> factorisations_to_try(const Communicator& communicator, std::int64_t n);

/// "tournament on 4x4x2, blocks of 64".
std::string describe(const FactorisePlan& plan);

/// Seconds of `times` factorisations of a random n×n matrix, each as long as its slowest rank,
/// after some that do not count (warm_up()). Collective.
std::vector<double> measured_factorisation(const Communicator& communicator, std::int64_t n,
                                           const LocalKernels& kernels, const FactorisePlan& plan,
                                           int times);

}  // namespace cuboid::detail::tools
