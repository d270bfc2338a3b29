#include <cuboid/base/error.hpp>
#include <cuboid/mm/grid_shape.hpp>

#include <cstdint>
#include <limits>

#include <fmt/format.h>

namespace cuboid {

GridShape::GridShape(int rows, int columns, GridOrder order)
    : rows_(rows), columns_(columns), order_(order) {
  if (rows < 1 || columns < 1) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("process grid {}x{}: give at least one row and one column", rows, columns));
  }
  if (std::int64_t{rows} * columns > std::numeric_limits<int>::max()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("process grid {}x{}: give at most 2^31 - 1 ranks", rows, columns));
  }
}

int GridShape::rank(GridPosition position) const {
  return order_ == GridOrder::row_major ? position.row * columns_ + position.column
                                        : position.column * rows_ + position.row;
}

std::optional<GridPosition> GridShape::position(int rank) const {
  if (rank < 0 || rank >= size()) return std::nullopt;
  return order_ == GridOrder::row_major ? GridPosition{rank / columns_, rank % columns_}
                                        : GridPosition{rank % rows_, rank / rows_};
}

GridShape GridShape::transposed() const {
  return {columns_, rows_,
          order_ == GridOrder::row_major ? GridOrder::column_major : GridOrder::row_major};
}

bool GridShape::operator==(const GridShape& other) const {
  const bool single_line = rows_ == 1 || columns_ == 1;
  return rows_ == other.rows_ && columns_ == other.columns_ &&
         (order_ == other.order_ || single_line);
}

std::string to_string(const GridShape& grid) {
  return fmt::format("{}x{}{}", grid.rows(), grid.columns(),
                     grid.order() == GridOrder::column_major ? " column-major" : "");
}

GridShape choose_grid(int ranks) {
  if (ranks < 1) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a process grid of {} ranks: give at least one", ranks));
  }
  const int fewest_used = ranks - ranks / 10;
  GridShape best(1, ranks);
  const auto cost = [](const GridShape& grid) { return 1.0 / grid.rows() + 1.0 / grid.columns(); };
  for (int rows = 2; std::int64_t{rows} * rows <= ranks; ++rows) {
    const GridShape candidate(rows, ranks / rows);
    if (candidate.size() >= fewest_used && cost(candidate) < cost(best)) best = candidate;
  }
  return best;
}

}  // namespace cuboid
