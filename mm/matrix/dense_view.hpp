#pragma once

#include <cuboid/matrix.hpp>

#include <algorithm>
#include <cstdint>

namespace cuboid::detail {

/// Memory in which the columns of a matrix follow one another.
template <class T>
LocalView<T> dense_view(T* data, std::int64_t rows, std::int64_t columns) {
  return {data, rows, columns, std::max<std::int64_t>(rows, 1)};
}

}  // namespace cuboid::detail
