#include "models/factorisation/cholesky_schedule.hpp"

#include <algorithm>
#include <numeric>

namespace cuboid::detail {

std::vector<int> CholeskySchedule::senders(int grid_column) const {
  const int apart = std::gcd(blocks_.rows(), blocks_.columns());
  std::vector<int> senders;
  for (int grid_row = grid_column % apart; grid_row < blocks_.rows(); grid_row += apart)
    senders.push_back(grid_row);
  return senders;
}

std::int64_t CholeskySchedule::shared_columns(const PanelStep& step, int grid_row,
                                              int grid_column) const {
  std::int64_t sum = 0;
  for_shared_blocks(step, grid_row, grid_column,
                    [&](const Extent&, const Extent& columns) { sum += columns.length(); });
  return sum;
}

std::vector<LocalRectangle> CholeskySchedule::lower_rectangles(int grid_row, int grid_column,
                                                               const Extent& columns) const {
  std::vector<LocalRectangle> rectangles;
  cover(grid_row, grid_column, {{0, blocks_.local_rows(grid_row)}, columns}, rectangles);
  return rectangles;
}

/// @param part  columns from the beginning of a block on, and the rows to cover.
void CholeskySchedule::cover(int grid_row, int grid_column, const LocalRectangle& part,
                             std::vector<LocalRectangle>& rectangles) const {
  const std::int64_t block = blocks_.block();
  const auto& [begin, end] = part.columns;
  // The first local row that is not above a column at the beginning of a block.
  const auto first_row = [&](std::int64_t column) {
    const std::int64_t index = column / block * blocks_.columns() + grid_column;
    return blocks_.rows_before(grid_row, std::min(index * block, blocks_.n()));
  };
  const Extent rows{first_row(begin), part.rows.end};
  if (begin == end || rows.length() == 0) return;
  const std::int64_t half = (begin / block + (end - begin + block - 1) / block / 2) * block;
  if (end - begin <= std::max(narrow, block) || half <= begin) {
    rectangles.push_back({rows, part.columns});
    return;
  }
  const std::int64_t row = first_row(half);
  if (row < rows.end) rectangles.push_back({{row, rows.end}, {begin, half}});
  cover(grid_row, grid_column, {{0, row}, {begin, half}}, rectangles);
  cover(grid_row, grid_column, {rows, {half, end}}, rectangles);
}

}  // namespace cuboid::detail
