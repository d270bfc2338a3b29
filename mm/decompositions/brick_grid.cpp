#include "mm/decompositions/brick_grid.hpp"

#include <cuboid/error.hpp>

#include "mm/layout/even_parts.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

template <class Dimension>
GlobalRange<Dimension> part(const BlockCyclic<Dimension>& cut, int process) {
  const std::int64_t extent = cut.local_extent(process);
  if (extent == 0) return {};
  const Global<Dimension> begin = cut.global(process, Local<Dimension>(0));
  return {begin, begin + extent};
}

}  // namespace

std::string_view to_string(WorkAxis axis) {
  switch (axis) {
    case WorkAxis::rows: return "rows";
    case WorkAxis::columns: return "columns";
    case WorkAxis::inner: break;
  }
  return "inner";
}

BrickGrid::BrickGrid(const ProductSize& size, std::vector<Split> splits)
    : size_(size), splits_(std::move(splits)) {
  if (size.m < 0 || size.n < 0 || size.k < 0) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("bricks of {} x {} x {}: give extents of 0 or more", size.m, size.n, size.k));
  }
  std::int64_t ranks = 1;
  for (const Split& split : splits_) {
    if (split.parts < 1) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("a split of {} into {}: give 1 part or more", to_string(split.along),
                              split.parts));
    }
    ranks *= split.parts;
    if (ranks > std::numeric_limits<int>::max()) {
      throw Error(ErrorCode::invalid_argument, "bricks for more than 2^31 - 1 ranks: give fewer");
    }
    parts_[static_cast<std::size_t>(split.along)] *= split.parts;
  }
}

int BrickGrid::digit(int rank, std::size_t split) const {
  for (std::size_t later = splits_.size() - 1; later > split; --later) rank /= splits_[later].parts;
  return rank % splits_[split].parts;
}

std::optional<BrickPosition> BrickGrid::position(int rank) const {
  if (rank < 0 || rank >= ranks()) return std::nullopt;
  std::array<int, 3> at{0, 0, 0};
  for (std::size_t split = 0; split < splits_.size(); ++split) {
    int& along = at[static_cast<std::size_t>(splits_[split].along)];
    along = along * splits_[split].parts + digit(rank, split);
  }
  return BrickPosition{at[0], at[1], at[2]};
}

int BrickGrid::share(int rank, WorkAxis across) const {
  int share = 0;
  for (std::size_t split = splits_.size(); split-- > 0;) {
    if (splits_[split].along != across) continue;
    share = share * splits_[split].parts + digit(rank, split);
  }
  return share;
}

Brick BrickGrid::brick(const BrickPosition& position) const {
  return {part(a_rows(), position.row),
          part(BlockCyclic<Column>::even(size_.n, parts_[1]), position.column),
          part(b_inner(), position.layer)};
}

namespace {

/// A layout whose columns are cut into shares for the ranks that share a block of the matrix.
template <class RowOf, class ColumnOf>
GridShape grid_of_shares(const BrickGrid& grid, int rows, int columns, const RowOf& row_of,
                         const ColumnOf& column_of) {
  std::vector<int> ranks(static_cast<std::size_t>(grid.ranks()));
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    const BrickPosition at = *grid.position(rank);
    ranks[static_cast<std::size_t>(row_of(at) * columns + column_of(at, rank))] = rank;
  }
  return {rows, columns, std::move(ranks)};
}

}  // namespace

Layout BrickGrid::a_layout() const {
  const int shares = parts_[1];
  return {a_rows(), a_inner().as<Column>(),
          grid_of_shares(
              *this, parts_[0], parts_[2] * shares, [](const BrickPosition& at) { return at.row; },
              [&](const BrickPosition& at, int rank) {
                return at.layer * shares + share(rank, WorkAxis::columns);
              })};
}

Layout BrickGrid::b_layout() const {
  const int shares = parts_[0];
  return {
      b_inner().as<Row>(), b_columns(),
      grid_of_shares(
          *this, parts_[2], parts_[1] * shares, [](const BrickPosition& at) { return at.layer; },
          [&](const BrickPosition& at, int rank) {
            return at.column * shares + share(rank, WorkAxis::rows);
          })};
}

Layout BrickGrid::c_layout() const {
  const int shares = parts_[2];
  return {a_rows(), c_columns(),
          grid_of_shares(
              *this, parts_[0], parts_[1] * shares, [](const BrickPosition& at) { return at.row; },
              [&](const BrickPosition& at, int rank) {
                return at.column * shares + share(rank, WorkAxis::inner);
              })};
}

std::int64_t BrickGrid::sums_received(int rank, const Brick& brick) const {
  const std::int64_t rows = brick.rows.extent(), columns = brick.columns.extent();
  const std::int64_t layers = parts_[2];
  const std::int64_t share = this->share(rank, WorkAxis::inner);
  const auto is_along_inner = [](const Split& split) { return split.along == WorkAxis::inner; };
  if (columns >= layers && std::ranges::count_if(splits_, is_along_inner) == 1) {
    // Equal pieces of the face from all others, and less than a column from the rank before.
    const std::int64_t begin = part_begin(rows * columns, share, layers);
    return (layers - 1) * (part_begin(rows * columns, share + 1, layers) - begin) +
           (begin - part_begin(columns, share, layers) * rows);
  }
  // Split by split, last first: sums come from the other parts of the split, for the columns that
  // the ranks of this part keep.
  std::int64_t received = 0, shares = 1;
  for (const Split& split : splits_) {
    if (!is_along_inner(split)) continue;
    const std::int64_t first = share / shares * shares;
    const std::int64_t kept =
        part_begin(columns, first + shares, layers) - part_begin(columns, first, layers);
    received += (split.parts - 1) * rows * kept;
    shares *= split.parts;
  }
  return received;
}

BrickCost BrickGrid::cost(int rank, const BrickSteps& steps) const {
  const auto at = position(rank);
  if (!at) return {};
  const Brick mine = brick(*at);
  const auto rows = static_cast<double>(mine.rows.extent());
  const auto columns = static_cast<double>(mine.columns.extent());
  const auto inner = static_cast<double>(mine.inner.extent());
  const int a_process = at->layer * parts_[1] + share(rank, WorkAxis::columns);
  const int b_process = at->column * parts_[0] + share(rank, WorkAxis::rows);
  const auto own_a = rows * static_cast<double>(a_inner().local_extent(a_process));
  const auto own_b = inner * static_cast<double>(b_columns().local_extent(b_process));

  BrickCost cost{mine.work(),
                 (rows * inner - own_a) * steps.column_tiles +
                     (inner * columns - own_b) * steps.row_tiles +
                     static_cast<double>(sums_received(rank, mine)),
                 0};
  for (const Split& split : splits_) {
    const std::int64_t times = split.along == WorkAxis::inner ? steps.tiles() : steps.count();
    cost.messages += static_cast<double>((split.parts - 1) * times);
  }
  return cost;
}

bool BrickGrid::all_alike() const {
  const auto [rows, columns, layers] = parts_;
  return size_.m % rows == 0 && size_.n % columns == 0 && size_.k % layers == 0 &&
         size_.k / layers % columns == 0 && size_.n / columns % rows == 0 &&
         size_.n / columns % layers == 0;
}

BrickCost BrickGrid::at_most(const BrickSteps& steps) const {
  const auto largest = [](std::int64_t extent, int parts) { return (extent + parts - 1) / parts; };
  const auto [row_parts, column_parts, layers] = parts_;
  const std::int64_t rows = largest(size_.m, row_parts);
  const std::int64_t columns = largest(size_.n, column_parts);
  const std::int64_t inner = largest(size_.k, layers);
  BrickCost cost = this->cost(0, steps);
  const auto product = [](std::int64_t one, std::int64_t other) {
    return static_cast<double>(one) * static_cast<double>(other);
  };
  cost.work = product(rows, columns) * static_cast<double>(inner);
  cost.words_received =
      product(rows, inner - size_.k / layers / column_parts) * steps.column_tiles +
      product(inner, columns - size_.n / column_parts / row_parts) * steps.row_tiles;
  if (layers > 1) cost.words_received += product(rows, (layers - 1) * largest(columns, layers));
  return cost;
}

BrickCost BrickGrid::busiest(const BrickSteps& steps) const {
  constexpr int many = 4096;
  if (all_alike()) return cost(0, steps);
  if (ranks() > many) return at_most(steps);
  BrickCost most;
  for (int rank = 0; rank < ranks(); ++rank) {
    const BrickCost one = cost(rank, steps);
    most.work = std::max(most.work, one.work);
    most.words_received = std::max(most.words_received, one.words_received);
    most.messages = std::max(most.messages, one.messages);
  }
  return most;
}

std::string to_string(const BrickGrid& grid) {
  return fmt::format("{}x{}x{} (rows x columns x layers)", grid.parts(WorkAxis::rows),
                     grid.parts(WorkAxis::columns), grid.parts(WorkAxis::inner));
}

}  // namespace cuboid::detail
