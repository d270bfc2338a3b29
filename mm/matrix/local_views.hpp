#pragma once

#include <cuboid/matrix.hpp>

#include <algorithm>
#include <cstdint>

namespace cuboid::detail {

/// A view of memory in which the columns of a matrix are contiguous.
template <class T>
LocalView<T> dense_view(T* data, std::int64_t rows, std::int64_t columns) {
  return {data, rows, columns, std::max<std::int64_t>(rows, 1)};
}

/// True if two parts of matrices share an element. One part may lie between the columns of the
/// other, as two blocks of a larger array do. If the leading dimensions differ, it is true only if
/// both parts begin at the same element.
template <class T>
bool overlap(LocalView<const T> one, LocalView<const T> other) {
  if (one.rows == 0 || one.columns == 0 || other.rows == 0 || other.columns == 0) return false;
  if (one.data == other.data) return true;
  if (one.leading_dimension != other.leading_dimension) return false;
  const auto address = [](const T* element) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(element));
  };
  const std::int64_t bytes = address(other.data) - address(one.data);
  const auto size = static_cast<std::int64_t>(sizeof(T));
  if (bytes % size != 0) return false;
  const std::int64_t length = one.leading_dimension, distance = bytes / size;
  // The row and column of `one` at which `other` begins.
  const std::int64_t row = ((distance % length) + length) % length;
  const std::int64_t column = (distance - row) / length;
  const auto meet = [](std::int64_t begin, std::int64_t extent, std::int64_t others) {
    return begin < others && begin + extent > 0;
  };
  const auto from = [&](std::int64_t first_row, std::int64_t first_column) {
    return meet(first_row, other.rows, one.rows) && meet(first_column, other.columns, one.columns);
  };
  // Rows behind the last row of a column are the first rows of the next column.
  return from(row, column) || from(row - length, column + 1);
}

}  // namespace cuboid::detail
