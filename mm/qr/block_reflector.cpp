#include "mm/qr/block_reflector.hpp"

#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <complex>

namespace cuboid::detail {

template <MatrixElement T>
void copy_unit_lower(LocalView<const T> factors, LocalView<T> vectors) {
  for (std::int64_t j = 0; j < vectors.columns; ++j) {
    const std::int64_t diagonal = std::min(j, vectors.rows);
    T* const column = vectors.column(j);
    std::fill_n(column, diagonal, T(0));
    if (diagonal == vectors.rows) continue;
    column[j] = T(1);
    std::copy(factors.column(j) + j + 1, factors.column(j) + vectors.rows, column + j + 1);
  }
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
  template void copy_unit_lower(LocalView<const T>, LocalView<T>); \
  template void form_block_factor(LocalView<const T>, LocalView<T>)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
