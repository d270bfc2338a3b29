#include "mm/qr/block_reflector.hpp"

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"

#include <algorithm>
#include <complex>

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

}  // namespace cuboid::detail
