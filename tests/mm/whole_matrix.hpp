#pragma once

#include <cuboid/collectives.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/redistribute.hpp>

#include "mm/matrix/random_element.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace cuboid::detail {

template <MatrixElement T>
double epsilon_of() {
  return static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
}

/// A whole column-major matrix on every rank.
template <MatrixElement T>
struct WholeMatrix {
  std::int64_t m, n;
  std::vector<T> values;

  WholeMatrix(std::int64_t rows, std::int64_t columns)
      : m(rows), n(columns), values(static_cast<std::size_t>(rows * columns)) {}
  T& operator()(std::int64_t i, std::int64_t j) {
    return values[static_cast<std::size_t>(i + j * m)];
  }
  const T& operator()(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(i + j * m)];
  }
  LocalView<T> view() { return {values.data(), m, n, std::max<std::int64_t>(m, 1)}; }

  static WholeMatrix made(std::int64_t rows, std::int64_t columns,
                          const std::function<T(std::int64_t, std::int64_t)>& element) {
    WholeMatrix whole(rows, columns);
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t i = 0; i < rows; ++i) whole(i, j) = element(i, j);
    return whole;
  }
  static WholeMatrix random(std::int64_t rows, std::int64_t columns, std::uint64_t seed = 7) {
    return made(rows, columns, [seed](std::int64_t i, std::int64_t j) {
      return RandomColumn(seed, Global<Column>(j)).at<T>(Global<Row>(i));
    });
  }

  /// Spread over ranks.
  Matrix<T> spread(const Communicator& communicator, const Layout& layout) const {
    Matrix<T> matrix(communicator, layout);
    matrix.fill([this](Global<Row> i, Global<Column> j) { return (*this)(i.value, j.value); });
    return matrix;
  }
  /// Gathered on every rank.
  static WholeMatrix gathered(const Matrix<T>& matrix) {
    WholeMatrix whole(matrix.m(), matrix.n());
    const Communicator& communicator = matrix.communicator();
    Matrix<T> single(communicator, Layout::single(matrix.m(), matrix.n()));
    redistribute(Op::none, matrix, single);
    if (communicator.rank() == 0)
      std::copy_n(single.data(), whole.values.size(), whole.values.begin());
    if (!whole.values.empty()) broadcast(communicator, whole.values, 0);
    return whole;
  }

  double one_norm() const {
    double norm = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t i = 0; i < m; ++i) sum += std::abs((*this)(i, j));
      norm = std::max(norm, sum);
    }
    return norm;
  }
  double largest() const {
    double largest = 0;
    for (const T& value : values) largest = std::max(largest, static_cast<double>(std::abs(value)));
    return largest;
  }
};

}  // namespace cuboid::detail
