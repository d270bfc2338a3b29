#include "mm/qr/householder_vectors.hpp"

#include "mm/matrix/element_types.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>

namespace cuboid::detail {

namespace {

/// A − S = L·U in place; S is chosen pivot by pivot.
template <MatrixElement T>
std::vector<RealOf<T>> factorise_with_signs(LocalView<T> A) {
  std::vector<RealOf<T>> signs(static_cast<std::size_t>(A.columns));
  for (std::int64_t k = 0; k < A.columns; ++k) {
    const RealOf<T> sign = std::real(A(k, k)) < 0 ? 1 : -1;
    signs[static_cast<std::size_t>(k)] = sign;
    A(k, k) -= T(sign);
    const T pivot = A(k, k);
    for (std::int64_t i = k + 1; i < A.rows; ++i) A(i, k) /= pivot;
    for (std::int64_t j = k + 1; j < A.columns; ++j) {
      const T factor = A(k, j);
      for (std::int64_t i = k + 1; i < A.rows; ++i) A(i, j) -= A(i, k) * factor;
    }
  }
  return signs;
}

}  // namespace

template <MatrixElement T>
HouseholderVectors<T> HouseholderVectors<T>::of(LocalView<T> first_rows,
                                                const LocalKernels& kernels) {
  const std::int64_t width = first_rows.columns;
  HouseholderVectors made{DenseMatrix<T>(width, width), DenseMatrix<T>(width, width),
                          factorise_with_signs(first_rows)};
  for (std::int64_t j = 0; j < width; ++j) {
    const T sign(made.signs[static_cast<std::size_t>(j)]);
    for (std::int64_t i = 0; i <= j; ++i) {
      made.upper.view()(i, j) = first_rows(i, j);
      made.factor.view()(i, j) = -first_rows(i, j) * sign;
    }
  }
  kernels.lapack.trsm(MatrixSide::right, Triangle::lower, Op::conjugate_transpose, Diagonal::unit,
                      T(1), first_rows, made.factor.view());
  return made;
}

#define CUBOID_INSTANTIATE(T) template struct HouseholderVectors<T>
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
