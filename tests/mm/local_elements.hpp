#pragma once

#include <cuboid/matrix.hpp>

#include "mm/matrix/host_mirror.hpp"

#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// This rank's elements of a matrix in any memory, column by column.
template <MatrixElement T>
std::vector<T> local_elements(const Matrix<T>& matrix) {
  HostMirror<T> mirror(matrix);
  const LocalView<T> local = mirror.get().local();
  std::vector<T> elements;
  for (std::int64_t j = 0; j < local.columns; ++j)
    elements.insert(elements.end(), local.column(j), local.column(j) + local.rows);
  return elements;
}

}  // namespace cuboid::detail
