#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace cuboid::detail {

/// The numbers i with begin <= i < end.
struct Extent {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t length() const { return end - begin; }
  bool operator==(const Extent&) const = default;
};

/// Local rows and columns of a rank's part of a matrix.
struct LocalRectangle {
  Extent rows;
  Extent columns;

  bool operator==(const LocalRectangle&) const = default;
};

/// The most columns of a triangle that is covered as one rectangle: narrower products are slow.
inline constexpr std::int64_t narrow_columns = 64;

/// Rectangles, each for one product, that together cover the lower triangle of a part of a matrix,
/// and no element twice. They are as large as possible: the triangle is halved again and again,
/// down to triangles of at most `narrow_columns` columns, or of one block. Pure.
/// @param part       columns from the beginning of a block on, and the rows to cover.
/// @param block      columns that are not cut.
/// @param first_row  the first row that is not above the diagonal in a column at the beginning of a
///                   block; does not fall from column to column.
std::vector<LocalRectangle> lower_cover(
    const LocalRectangle& part, std::int64_t block,
    const std::function<std::int64_t(std::int64_t column)>& first_row);

}  // namespace cuboid::detail
