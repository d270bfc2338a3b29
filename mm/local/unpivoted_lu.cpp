#include "mm/local/unpivoted_lu.hpp"

#include "mm/matrix/element_types.hpp"

#include <complex>

namespace cuboid::detail {

namespace {

/// Factorises a narrow matrix column by column.
template <MatrixElement T>
std::int64_t factorise_narrow(LocalView<T> A) {
  std::int64_t zero = 0;
  for (std::int64_t k = 0; k < A.columns; ++k) {
    const T pivot = A(k, k);
    if (pivot == T(0)) {
      if (zero == 0) zero = k + 1;
    } else {
      for (std::int64_t i = k + 1; i < A.rows; ++i) A(i, k) /= pivot;
    }
    for (std::int64_t j = k + 1; j < A.columns; ++j) {
      const T factor = A(k, j);
      for (std::int64_t i = k + 1; i < A.rows; ++i) A(i, j) -= A(i, k) * factor;
    }
  }
  return zero;
}

}  // namespace

template <MatrixElement T>
std::int64_t factorise_without_pivoting(LocalView<T> A, const LocalKernels& kernels) {
  constexpr std::int64_t narrow = 16;
  if (A.columns <= narrow) return factorise_narrow(A);
  const std::int64_t half = A.columns / 2, rest = A.columns - half, below = A.rows - half;
  const std::int64_t zero_left = factorise_without_pivoting(A.block(0, 0, A.rows, half), kernels);
  const LocalView<T> upper = A.block(0, half, half, rest);
  kernels.lapack.trsm(MatrixSide::left, Triangle::lower, Op::none, Diagonal::unit, T(1),
                      A.block(0, 0, half, half), upper);
  const LocalView<T> lower = A.block(half, 0, below, half),
                     trailing = A.block(half, half, below, rest);
  kernels.gemm(Op::none, Op::none, below, rest, half, T(-1), lower.data, lower.leading_dimension,
               upper.data, upper.leading_dimension, T(1), trailing.data,
               trailing.leading_dimension);
  const std::int64_t zero_right = factorise_without_pivoting(trailing, kernels);
  if (zero_left > 0) return zero_left;
  return zero_right > 0 ? half + zero_right : 0;
}

#define CUBOID_INSTANTIATE(T) \
  template std::int64_t factorise_without_pivoting(LocalView<T>, const LocalKernels&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
