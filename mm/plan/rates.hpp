#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/grid.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>

#include "mm/plan/planner.hpp"

#include <optional>

namespace cuboid::detail {

/// How fast the slowest rank's gemm is while all ranks multiply. The narrower its part of C, the
/// more elements of A and B it reads and packs per multiplication, which its rate is for blocks of
/// 256 × 256.
struct GemmRate {
  double multiplications_per_second = 1e10;
  /// Beyond that rate, per byte of A and B. Unset: as long as memory.
  std::optional<double> operand_seconds_per_byte = std::nullopt;
};

/// Measured on small blocks, wide and narrow ones, in some milliseconds. The same on every rank.
/// Collective.
template <MatrixElement T>
GemmRate gemm_rate(const Communicator& communicator, const LocalGemm& gemm);

/// The rates of this machine: the network as the communicator sees it, and a rank's gemm. The same
/// on every rank. Not collective.
Rates rates_of(const Communicator& communicator, const GemmRate& gemm);

/// The same with gemm_rate(), which is measured once per rank, element type, number of threads and
/// number of ranks. Collective.
template <MatrixElement T>
Rates rates_of(const Communicator& communicator, const LocalGemm& gemm);

/// The placement of a communicator's ranks in the box of nodes that they fill; nullopt if they fill
/// none. Not collective; the same on every rank.
std::optional<Placement> placement_of(const Communicator& communicator);

}  // namespace cuboid::detail
