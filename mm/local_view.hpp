#pragma once

#include <cstdint>

namespace cuboid {

/// A column-major matrix in this rank's memory: element (i, j) at data[i + j · leading_dimension].
/// A view.
template <class T>
struct LocalView {
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t leading_dimension = 1;  ///< >= max(1, rows)

  T* column(std::int64_t j) const { return data + j * leading_dimension; }
  T& operator()(std::int64_t i, std::int64_t j) const { return column(j)[i]; }

  LocalView block(std::int64_t row, std::int64_t column_begin, std::int64_t row_count,
                  std::int64_t column_count) const {
    return {data + row + column_begin * leading_dimension, row_count, column_count,
            leading_dimension};
  }

  operator LocalView<const T>() const { return {data, rows, columns, leading_dimension}; }
};

}  // namespace cuboid
