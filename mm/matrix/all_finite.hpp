#pragma once

#include <cuboid/matrix.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>

namespace cuboid::detail {

/// True if all elements of this rank are finite.
template <class T>
bool all_finite(const LocalView<T>& elements) {
  for (std::int64_t j = 0; j < elements.columns; ++j) {
    const T* const column = elements.column(j);
    if (!std::all_of(column, column + elements.rows,
                     [](T element) { return std::isfinite(std::abs(element)); }))
      return false;
  }
  return true;
}

}  // namespace cuboid::detail
