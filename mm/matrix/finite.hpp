#pragma once

#include <cuboid/collectives.hpp>
#include <cuboid/matrix.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <span>

#include <fmt/format.h>

namespace cuboid::detail {

/// True if the value is neither NaN nor infinite. Of a complex number both parts count, not its
/// absolute value, which overflows for large parts.
template <MatrixElement T>
bool is_finite(T value) {
  return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
}

/// True if all elements of this rank are finite.
template <class T>
bool all_finite(const LocalView<T>& elements) {
  for (std::int64_t j = 0; j < elements.columns; ++j) {
    const T* const column = elements.column(j);
    if (!std::all_of(column, column + elements.rows,
                     [](auto element) { return is_finite(element); }))
      return false;
  }
  return true;
}

/// True if all elements of a matrix are finite; the same on every rank. Collective.
template <MatrixElement T>
bool is_finite(const Matrix<T>& matrix) {
  int finite = all_finite<const T>(matrix.local()) ? 1 : 0;
  allreduce(matrix.communicator(), std::span(&finite, 1), std::span(&finite, 1),
            Reduction::Kind::minimum);
  return finite != 0;
}

/// Rank 0 warns if right-hand sides have a NaN or an infinity. Collective.
template <MatrixElement T>
void warn_unless_finite(const char* operation, const Matrix<T>& right_hand_sides) {
  const bool finite = is_finite(right_hand_sides);
  const Communicator& communicator = right_hand_sides.communicator();
  if (finite || communicator.rank() != 0) return;
  communicator.logger().warn(fmt::format(
      "{}: the right-hand sides have a NaN or an infinity, and so has the solution", operation));
}

}  // namespace cuboid::detail
