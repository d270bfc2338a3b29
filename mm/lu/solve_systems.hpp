#pragma once

#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "mm/lu/distributed_triangles.hpp"
#include "mm/lu/triangular_sweep.hpp"

#include <cstdint>
#include <span>

namespace cuboid::detail {

/// Interchanges of the rows of right-hand sides, as LAPACK's IPIV from 0.
struct RowSwaps {
  std::span<const std::int64_t> before = {};  ///< the first system; first to last
  std::span<const std::int64_t> after = {};   ///< the last system, undone: last to first
};

/// B ← α·(solutions of the systems, one after the other), all with or all without op. Collective
/// over the communicator of the triangles. Throws Error(invalid_argument) where B does not fit.
template <MatrixElement T>
void solve_systems(const DistributedTriangles<T>& triangles,
                   std::span<const TriangularSystem> systems, T alpha, const RowSwaps& swaps,
                   Matrix<T>& B, const LocalKernels& kernels);

/// How right-hand sides lie while systems with this op are solved.
template <MatrixElement T>
Layout equations_layout(const DistributedTriangles<T>& triangles, Op op, std::int64_t columns);

}  // namespace cuboid::detail
