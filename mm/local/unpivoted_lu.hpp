#pragma once

#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include <cstdint>

namespace cuboid::detail {

/// A = L·U in place without pivoting, for at least as many rows as columns. It factorises halves of
/// the columns recursively, so that most of the work is gemm. Returns 0, or the first k, counted
/// from 1, for which the k-th pivot is exactly 0. The column of that pivot is not divided.
template <MatrixElement T>
std::int64_t factorise_without_pivoting(LocalView<T> A, const LocalKernels& kernels);

}  // namespace cuboid::detail
