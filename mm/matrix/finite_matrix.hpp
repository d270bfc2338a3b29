#pragma once

#include <cuboid/allreduce.hpp>
#include <cuboid/matrix.hpp>

#include "mm/matrix/all_finite.hpp"

#include <span>

#include <fmt/format.h>

namespace cuboid::detail {

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
