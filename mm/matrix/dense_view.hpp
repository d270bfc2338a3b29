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

}  // namespace cuboid::detail
