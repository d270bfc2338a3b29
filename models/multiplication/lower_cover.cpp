#include "models/multiplication/lower_cover.hpp"

#include <algorithm>

namespace cuboid::detail {

namespace {

using FirstRow = std::function<std::int64_t(std::int64_t column)>;

void cover(const LocalRectangle& part, std::int64_t block, const FirstRow& first_row,
           std::vector<LocalRectangle>& rectangles) {
  const auto& [begin, end] = part.columns;
  if (begin == end) return;
  const Extent rows{first_row(begin), part.rows.end};
  if (rows.length() <= 0) return;
  const std::int64_t half = (begin / block + (end - begin + block - 1) / block / 2) * block;
  if (end - begin <= std::max(narrow_columns, block) || half <= begin) {
    rectangles.push_back({rows, part.columns});
    return;
  }
  const std::int64_t row = std::min(first_row(half), rows.end);
  if (row < rows.end) rectangles.push_back({{row, rows.end}, {begin, half}});
  cover({{0, row}, {begin, half}}, block, first_row, rectangles);
  cover({rows, {half, end}}, block, first_row, rectangles);
}

}  // namespace

std::vector<LocalRectangle> lower_cover(const LocalRectangle& part, std::int64_t block,
                                        const FirstRow& first_row) {
  std::vector<LocalRectangle> rectangles;
  cover(part, block, first_row, rectangles);
  return rectangles;
}

}  // namespace cuboid::detail
