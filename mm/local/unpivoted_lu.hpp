#pragma once

#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include <cstdint>

namespace cuboid::detail {

/// A = L·U in place without pivoting, for at least as many rows as columns. It factorises halves of
/// the columns recursively, so that most of the work is gemm. Returns 0, or k if the k-th pivot,
/// counted from 1, is the first that is exactly 0; then its column is not divided.
template <MatrixElement T>
std::int64_t factorise_without_pivoting(LocalView<T> A, const LocalKernels& kernels);

}  // namespace cuboid::detail
