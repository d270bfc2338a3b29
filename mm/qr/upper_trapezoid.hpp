#pragma once

#include <cuboid/matrix.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace cuboid::detail {

/// The number of elements on and above the diagonal of a rows × columns matrix, rows <= columns.
constexpr std::size_t trapezoid_size(std::int64_t rows, std::int64_t columns) {
  return static_cast<std::size_t>(rows * columns - rows * (rows - 1) / 2);
}

/// Writes the elements on and above the diagonal one column after the other.
template <MatrixElement T>
void pack_trapezoid(LocalView<const T> from, std::span<T> packed) {
  auto to = packed.begin();
  for (std::int64_t j = 0; j < from.columns; ++j)
    to = std::copy_n(from.column(j), std::min(j + 1, from.rows), to);
}

/// Reads what pack_trapezoid() wrote; below the diagonal `to` gets zeros.
template <MatrixElement T>
void unpack_trapezoid(std::span<const T> packed, LocalView<T> to) {
  auto from = packed.begin();
  for (std::int64_t j = 0; j < to.columns; ++j) {
    const std::int64_t held = std::min(j + 1, to.rows);
    std::copy_n(from, held, to.column(j));
    from += held;
    std::fill(to.column(j) + held, to.column(j) + to.rows, T(0));
  }
}

}  // namespace cuboid::detail
