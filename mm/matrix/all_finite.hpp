#pragma once

#include <cuboid/matrix.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>

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

}  // namespace cuboid::detail
