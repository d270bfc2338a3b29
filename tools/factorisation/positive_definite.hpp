#pragma once

#include <cuboid/matrix.hpp>

#include "mm/matrix/random_element.hpp"

#include <cstdint>

namespace cuboid::detail::tools {

/// Fills a square matrix with a random Hermitian matrix in which the diagonal element of each row
/// exceeds the sum of all others.
template <MatrixElement T>
void fill_positive_definite(Matrix<T>& matrix, std::uint64_t seed) {
  const auto n = static_cast<RealOf<T>>(matrix.n());
  matrix.fill([seed, n](Global<Row> i, Global<Column> j) {
    if (i.value == j.value) return T(2 * n);
    const bool below = i.value > j.value;
    const T value = RandomColumn(seed, below ? j : Global<Column>(i.value))
                        .template at<T>(below ? i : Global<Row>(j.value));
    return below ? value : conjugate(value);
  });
}

}  // namespace cuboid::detail::tools
