#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/placement.hpp>

#include "mm/plan/planner.hpp"

#include <optional>

namespace cuboid::detail {

/// How many multiplications a second the slowest rank's gemm does while all multiply, measured on
/// small matrices in a few milliseconds. The same on every rank. Collective.
template <MatrixElement T>
double gemm_rate(const Communicator& communicator, const LocalGemm& gemm);

/// What the planner needs to know of this machine: the network as the communicator sees it, and how
/// fast a rank multiplies. The same on every rank. Not collective.
Rates rates_of(const Communicator& communicator, double multiplications_per_second);

/// The same with gemm_rate(), which it measures once per rank, element type, number of threads and
/// number of ranks. Collective.
template <MatrixElement T>
Rates rates_of(const Communicator& communicator, const LocalGemm& gemm);

/// Where the ranks of a communicator are in the box of nodes that they fill; nullopt where they
/// fill none. Not collective; the same on every rank.
std::optional<Placement> placement_of(const Communicator& communicator);

}  // namespace cuboid::detail
