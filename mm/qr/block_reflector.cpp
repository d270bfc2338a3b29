#include "mm/qr/block_reflector.hpp"

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>

namespace cuboid::detail {

template <MatrixElement T>
void set_unit_upper(LocalView<T> vectors) {
  for (std::int64_t j = 0; j < vectors.columns; ++j) {
    const std::int64_t diagonal = std::min(j, vectors.rows);
    std::fill_n(vectors.column(j), diagonal, T(0));
    if (diagonal < vectors.rows) vectors(j, j) = T(1);
  }
}

template <MatrixElement T>
void copy_unit_lower(LocalView<const T> factors, LocalView<T> vectors) {
  copy<T>(factors, vectors);
  set_unit_upper(vectors);
}

template <MatrixElement T>
void form_block_factor(LocalView<const T> products, LocalView<T> factor) {
  // Column j of T is -τⱼ·T(0:j, 0:j)·(VᴴV)(0:j, j).
  for (std::int64_t j = 0; j < factor.columns; ++j) {
    const T tau = factor(j, j);
    for (std::int64_t i = 0; i < j; ++i) {
      T sum{};
      for (std::int64_t k = i; k < j; ++k) sum += factor(i, k) * products(k, j);
      factor(i, j) = -tau * sum;
    }
    std::fill(factor.column(j) + j + 1, factor.column(j) + factor.rows, T(0));
  }
}

#define CUBOID_INSTANTIATE(T)                                      \
  template void set_unit_upper(LocalView<T>);                      \
  template void copy_unit_lower(LocalView<const T>, LocalView<T>); \
  template void form_block_factor(LocalView<const T>, LocalView<T>)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

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
