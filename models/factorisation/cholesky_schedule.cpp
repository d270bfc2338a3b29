#include "models/factorisation/cholesky_schedule.hpp"

#include "models/multiplication/lower_cover.hpp"

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
  const std::int64_t block = blocks_.block();
  // The first local row that is not above a column at the beginning of a block.
  const auto first_row = [&](std::int64_t column) {
    const std::int64_t index = column / block * blocks_.columns() + grid_column;
    return blocks_.rows_before(grid_row, std::min(index * block, blocks_.n()));
  };
  return lower_cover({{0, blocks_.local_rows(grid_row)}, columns}, block, first_row);
}

}  // namespace cuboid::detail
