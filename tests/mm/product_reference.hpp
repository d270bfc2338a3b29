#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/matrix.hpp>

#include "mm/matrix/random_element.hpp"

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace cuboid::detail::test {

inline constexpr std::uint64_t seed_a = 1;
inline constexpr std::uint64_t seed_b = 2;
inline constexpr std::uint64_t seed_c = 3;

template <MatrixElement T>
using Precise = std::conditional_t<is_complex<T>, std::complex<double>, double>;

/// Element (i, j) of op(X) for the random matrix X of a seed.
template <MatrixElement T>
Precise<T> element(Op op, std::uint64_t seed, std::int64_t i, std::int64_t j) {
  if (op == Op::none) return RandomColumn(seed, Global<Column>(j)).at<T>(Global<Row>(i));
  const T stored = RandomColumn(seed, Global<Column>(i)).at<T>(Global<Row>(j));
  return op == Op::transpose ? stored : conjugate(stored);
}

/// What is multiplied, apart from how it is spread over ranks.
template <MatrixElement T>
struct Product {
  std::int64_t m, n, k;
  Op op_a, op_b;
  T alpha, beta;
};

/// The elements of C = α·op(A)·op(B) + β·C that this rank holds, against sums written out, within
/// the bound (k + 8)·ε·(|α|·Σ|a||b| + |β||c|) of a product in any order of summation.
template <MatrixElement T>
std::int64_t wrong_elements(const Product<T>& product, const Matrix<T>& C) {
  const auto position = C.position();
  if (!position) return 0;
  const std::int64_t k = product.k;
  // Rows of op(A) and columns of op(B) that this rank's part of C needs, each contiguous.
  std::vector<Precise<T>> rows, columns;
  for (Local<Row> i; i.value < C.local_rows(); ++i) {
    const auto global = C.layout().rows().global(position->row, i);
    for (std::int64_t l = 0; l < k; ++l) {
      rows.push_back(element<T>(product.op_a, seed_a, global.value, l));
    }
  }
  for (Local<Column> j; j.value < C.local_columns(); ++j) {
    const auto global = C.layout().columns().global(position->column, j);
    for (std::int64_t l = 0; l < k; ++l) {
      columns.push_back(element<T>(product.op_b, seed_b, l, global.value));
    }
  }
  const double epsilon = std::numeric_limits<RealOf<T>>::epsilon();
  const Precise<T> alpha(product.alpha), beta(product.beta);
  std::int64_t wrong = 0;
  for (std::int64_t j = 0; j < C.local_columns(); ++j) {
    for (std::int64_t i = 0; i < C.local_rows(); ++i) {
      Precise<T> sum(0);
      double magnitude = 0;
      for (std::int64_t l = 0; l < k; ++l) {
        const Precise<T> a = rows[static_cast<std::size_t>(i * k + l)];
        const Precise<T> b = columns[static_cast<std::size_t>(j * k + l)];
        sum += a * b;
        magnitude += std::abs(a) * std::abs(b);
      }
      Precise<T> expected = alpha == Precise<T>(0) ? Precise<T>(0) : alpha * sum;
      magnitude *= std::abs(alpha);
      if (beta != Precise<T>(0)) {
        const auto c = element<T>(
            Op::none, seed_c, C.layout().rows().global(position->row, Local<Row>(i)).value,
            C.layout().columns().global(position->column, Local<Column>(j)).value);
        expected += beta * c;
        magnitude += std::abs(beta) * std::abs(c);
      }
      const Precise<T> computed(C(Local<Row>(i), Local<Column>(j)));
      // Not "error > bound": NaN must count as wrong.
      const bool right =
          std::abs(computed - expected) <= static_cast<double>(k + 8) * epsilon * magnitude;
      wrong += right ? 0 : 1;
    }
  }
  return wrong;
}

}  // namespace cuboid::detail::test
