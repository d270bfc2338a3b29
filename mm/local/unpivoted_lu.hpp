#pragma once

#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include <cstdint>

namespace cuboid::detail {

/// A = L·U in place without pivoting, for at least as many rows as columns: halves of the columns
/// one after the other, recursively, so that nearly all is gemm. Returns 0, or k where the k-th
/// pivot, counted from 1, is the first that is exactly 0; its column is not divided then.
template <MatrixElement T>
std::int64_t factorise_without_pivoting(LocalView<T> A, const LocalKernels& kernels);

}  // namespace cuboid::detail
