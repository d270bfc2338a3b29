#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/grid.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>

#include "mm/plan/planner.hpp"
#include "models/messages/usual_parameters.hpp"

#include <optional>

namespace cuboid::detail {

/// Multiplications per second of the slowest rank's gemm while all ranks multiply, measured on
/// small matrices in a few milliseconds. The same on every rank. Collective.
template <MatrixElement T>
double gemm_rate(const Communicator& communicator, const LocalGemm& gemm);

/// Multiplications per second of a usual core's gemm. Measured speeds differ from run to run, but a
/// plan by this one does not.
template <MatrixElement T>
constexpr double usual_gemm_rate() {
  // A complex multiplication has 4 real ones; a register holds more elements of lower precision.
  constexpr double of_an_element = is_complex<T> ? 4 : 1;
  constexpr double at_once = sizeof(double) / sizeof(RealOf<T>);
  return usual_core.multiplications_per_second * at_once / of_an_element;
}

/// What gemm_rate() has measured on this rank, for a number of threads and of ranks; 0: nothing
/// yet.
template <MatrixElement T>
double& measured_gemm_rate(int threads, int ranks);

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
