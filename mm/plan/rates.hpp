#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/grid.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>

#include "mm/plan/planner.hpp"

#include <optional>

namespace cuboid::detail {

/// Multiplications per second of the slowest rank's gemm while all ranks multiply, measured on
/// small matrices in a few milliseconds. The same on every rank. Collective.
template <MatrixElement T>
double gemm_rate(const Communicator& communicator, const LocalGemm& gemm);

/// The rates of this machine: the network as the communicator sees it, and a rank's gemm. The same
/// on every rank. Not collective.
Rates rates_of(const Communicator& communicator, double multiplications_per_second);

/// The rates for a product. gemm_rate() is measured once per rank, element type, number of threads
/// and number of ranks. If a rank's device is faster, the rate is the one at which the device
/// multiplies a rank's share of C, with the proportions of C. Collective.
template <MatrixElement T>
Rates rates_of(const Communicator& communicator, const LocalGemm& gemm, const ProductSize& size);

/// The placement of a communicator's ranks in the box of nodes that they fill; nullopt if they do
/// not fill a box. Not collective; the same on every rank.
std::optional<Placement> placement_of(const Communicator& communicator);

}  // namespace cuboid::detail
