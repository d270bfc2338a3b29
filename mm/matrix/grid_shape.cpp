#include <cuboid/error.hpp>
#include <cuboid/grid_shape.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace cuboid {

namespace {

/// A numbering that lists the rank at each place, and the place of each rank.
class ListedRanks : public GridNumbering {
 public:
  ListedRanks(std::vector<int> rank_at, std::vector<int> place_of)
      : rank_at_(std::move(rank_at)), place_of_(std::move(place_of)) {}

  int rank_at(int place) const override { return rank_at_[static_cast<std::size_t>(place)]; }
  int place_of(int rank) const override { return place_of_[static_cast<std::size_t>(rank)]; }
  int last_rank() const override { return static_cast<int>(place_of_.size()) - 1; }

 private:
  std::vector<int> rank_at_;   // by place
  std::vector<int> place_of_;  // by rank; -1 for ranks outside the grid
};

}  // namespace

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

GridShape::GridShape(int rows, int columns, std::vector<int> ranks) : GridShape(rows, columns) {
  const auto refuse = [&] {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("process grid {}x{} of listed ranks: list {} different ranks", rows,
                            columns, size()));
  };
  if (ranks.size() != static_cast<std::size_t>(size())) refuse();
  if (std::ranges::min(ranks) < 0) refuse();
  const int last = std::ranges::max(ranks);
  std::vector<int> place_of(static_cast<std::size_t>(last) + 1, -1);
  for (std::size_t place = 0; place < ranks.size(); ++place) {
    int& place_of_rank = place_of[static_cast<std::size_t>(ranks[place])];
    if (place_of_rank >= 0) refuse();
    place_of_rank = static_cast<int>(place);
  }
  numbering_ = std::make_shared<const ListedRanks>(std::move(ranks), std::move(place_of));
}

GridShape::GridShape(int rows, int columns, std::shared_ptr<const GridNumbering> numbering)
    : GridShape(rows, columns) {
  numbering_ = std::move(numbering);
}

int GridShape::rank(GridPosition position) const {
  if (numbering_) return numbering_->rank_at(position.row * columns_ + position.column);
  return order_ == GridOrder::row_major ? position.row * columns_ + position.column
                                        : position.column * rows_ + position.row;
}

std::optional<GridPosition> GridShape::position(int rank) const {
  if (rank < 0 || rank > last_rank()) return std::nullopt;
  if (numbering_) {
    const int place = numbering_->place_of(rank);
    if (place < 0) return std::nullopt;
    return GridPosition{place / columns_, place % columns_};
  }
  return order_ == GridOrder::row_major ? GridPosition{rank / columns_, rank % columns_}
                                        : GridPosition{rank % rows_, rank / rows_};
}

GridShape GridShape::transposed() const {
  if (numbering_) {
    std::vector<int> ranks;
    for (int row = 0; row < columns_; ++row) {
      for (int column = 0; column < rows_; ++column) ranks.push_back(rank({column, row}));
    }
    return {columns_, rows_, std::move(ranks)};
  }
  return {columns_, rows_,
          order_ == GridOrder::row_major ? GridOrder::column_major : GridOrder::row_major};
}

bool GridShape::operator==(const GridShape& other) const {
  if (rows_ != other.rows_ || columns_ != other.columns_) return false;
  if (numbering_ || other.numbering_) {
    if (numbering_ == other.numbering_) return true;
    for (int row = 0; row < rows_; ++row) {
      for (int column = 0; column < columns_; ++column) {
        if (rank({row, column}) != other.rank({row, column})) return false;
      }
    }
    return true;
  }
  const bool single_line = rows_ == 1 || columns_ == 1;
  return order_ == other.order_ || single_line;
}

std::string to_string(const GridShape& grid) {
  const char* order = grid.order() == GridOrder::column_major ? " column-major" : "";
  if (grid.is_listed()) order = " reordered";
  return fmt::format("{}x{}{}", grid.rows(), grid.columns(), order);
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
