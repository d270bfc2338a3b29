#pragma once

#include <cuboid/matrix.hpp>

#include "mm/matrix/local_views.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cuboid::detail {

/// A column-major matrix in this rank's memory, which it owns. Its elements are 0 at first.
template <MatrixElement T>
class DenseMatrix {
 public:
  DenseMatrix() = default;
  DenseMatrix(std::int64_t rows, std::int64_t columns) { resize(rows, columns); }

  /// Changes the extents; the elements are undefined afterwards.
  void resize(std::int64_t rows, std::int64_t columns) {
    rows_ = rows;
    columns_ = columns;
    values_.resize(static_cast<std::size_t>(rows * columns));
  }

  LocalView<T> view() { return dense_view(values_.data(), rows_, columns_); }
  LocalView<const T> view() const { return dense_view(values_.data(), rows_, columns_); }
  /// All elements, column by column.
  std::span<T> elements() { return values_; }

 private:
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::vector<T> values_;
};

}  // namespace cuboid::detail
