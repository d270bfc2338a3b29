#pragma once

#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "mm/lu/distributed_triangles.hpp"
#include "mm/lu/triangular_sweep.hpp"

#include <cstdint>
#include <span>

namespace cuboid::detail {

/// Interchanges of the rows of right-hand sides: LAPACK's IPIV, counted from 0.
struct RowSwaps {
  std::span<const std::int64_t> before = {};  ///< before the first system, first to last
  std::span<const std::int64_t> after = {};   ///< after the last system, undone, last to first
};

/// B ← α·(solutions of the systems, one after the other). All systems have op, or none has.
/// Collective over the communicator of the triangles. Throws Error(invalid_argument) if B does not
/// fit.
template <MatrixElement T>
void solve_systems(const DistributedTriangles<T>& triangles,
                   std::span<const TriangularSystem> systems, T alpha, const RowSwaps& swaps,
                   Matrix<T>& B, const LocalKernels& kernels);

/// The layout of right-hand sides while systems with this op are solved.
template <MatrixElement T>
Layout equations_layout(const DistributedTriangles<T>& triangles, Op op, std::int64_t columns);

}  // namespace cuboid::detail
