#include "mm/decompositions/brick_grid.hpp"

#include <cuboid/error.hpp>

#include "mm/matrix/even_parts.hpp"

#include <algorithm>
#include <compare>
#include <limits>
#include <set>
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

BrickGrid::SummedWords BrickGrid::sums_for(std::int64_t share, std::int64_t rows,
                                           std::int64_t columns) const {
  const std::int64_t layers = parts_[2];
  const auto is_along_inner = [](const Split& split) { return split.along == WorkAxis::inner; };
  if (std::ranges::count_if(splits_, is_along_inner) == 1) {
    // All other ranks send pieces of equally many elements. Then the rank's own columns that lie in
    // other ranks' pieces arrive.
    const auto piece_begin = [&](std::int64_t part) {
      return part_begin(rows * columns, part, layers);
    };
    const std::int64_t begin = part_begin(columns, share, layers) * rows;
    const std::int64_t end = part_begin(columns, share + 1, layers) * rows;
    const std::int64_t piece = piece_begin(share + 1) - piece_begin(share);
    const std::int64_t summed = std::max<std::int64_t>(
        0, std::min(end, piece_begin(share + 1)) - std::max(begin, piece_begin(share)));
    SummedWords sums{(layers - 1) * piece + (end - begin - summed), layers - 1};
    if (begin == end) return sums;
    const auto piece_with = [&](std::int64_t element) {
      return ((element + 1) * layers - 1) / (rows * columns);
    };
    sums.messages += piece_with(end - 1) - piece_with(begin) + (summed > 0 ? 0 : 1);
    return sums;
  }
  // Split by split, last first: contributions come from the other parts of the split, for the
  // columns that the ranks of this part keep.
  SummedWords sums;
  std::int64_t shares = 1;
  for (const Split& split : splits_) {
    if (!is_along_inner(split)) continue;
    const std::int64_t first = share / shares * shares;
    const std::int64_t kept =
        part_begin(columns, first + shares, layers) - part_begin(columns, first, layers);
    sums.words += (split.parts - 1) * rows * kept;
    sums.messages += split.parts - 1;
    shares *= split.parts;
  }
  return sums;
}

double BrickGrid::messages_of_operands(const BrickSteps& steps) const {
  double messages = 0;
  for (const Split& split : splits_)
    if (split.along != WorkAxis::inner)
      messages += static_cast<double>((split.parts - 1) * steps.count());
  return messages;
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
  const SummedWords sums =
      sums_for(share(rank, WorkAxis::inner), mine.rows.extent(), mine.columns.extent());
  return {mine.work(),
          (rows * inner - own_a) * steps.column_tiles +
              (inner * columns - own_b) * steps.row_tiles + static_cast<double>(sums.words),
          messages_of_operands(steps) + static_cast<double>(sums.messages * steps.tiles())};
}

std::int64_t BrickGrid::share_at(WorkAxis across, std::int64_t position) const {
  std::int64_t share = 0;
  for (std::size_t split = splits_.size(); split-- > 0;) {
    if (splits_[split].along != across) continue;
    // The last split's digit is the least significant digit of the position and the most
    // significant digit of the share.
    share = share * splits_[split].parts + position % splits_[split].parts;
    position /= splits_[split].parts;
  }
  return share;
}

namespace {

/// The two lengths of the parts of an extent, the shorter first.
std::array<std::int64_t, 2> lengths(std::int64_t extent, std::int64_t parts) {
  return {extent / parts, extent / parts + (extent % parts != 0 ? 1 : 0)};
}

std::int64_t part_length(std::int64_t extent, std::int64_t part, std::int64_t parts) {
  return part_begin(extent, part + 1, parts) - part_begin(extent, part, parts);
}

/// A kind of ranks at one position along an axis: the length of their bricks along it, and their
/// share of another axis for a shorter and for a longer part of it.
struct Kind {
  bool is_long = false;
  std::array<std::int64_t, 2> shares{};
  auto operator<=>(const Kind&) const = default;
};

}  // namespace

BrickCost BrickGrid::busiest(const BrickSteps& steps) const {
  // Words depend only on the kinds of a rank's row, column and layer, and there are few kinds.
  const auto [row_parts, column_parts, layers] = parts_;
  const auto rows = lengths(size_.m, row_parts), columns = lengths(size_.n, column_parts),
             inner = lengths(size_.k, layers);
  const auto kinds = [&](WorkAxis along, std::int64_t extent, const auto& other) {
    const std::int64_t parts = this->parts(along);
    std::set<Kind> result;
    for (std::int64_t at = 0; at < parts; ++at) {
      const std::int64_t share = share_at(along, at);
      result.insert({part_length(extent, at, parts) > extent / parts,
                     {part_length(other[0], share, parts), part_length(other[1], share, parts)}});
    }
    return result;
  };
  using Most = std::array<std::array<std::int64_t, 2>, 2>;  // by rows and columns
  std::array<std::optional<Most>, 2> sums;                  // by inner
  std::int64_t messages = 0;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    const std::int64_t share = share_at(WorkAxis::inner, layer);
    auto& most = sums[part_length(size_.k, layer, layers) > inner[0] ? 1 : 0];
    if (!most) most.emplace();
    for (std::size_t r = 0; r < 2; ++r) {
      for (std::size_t c = 0; c < 2; ++c) {
        const SummedWords one = sums_for(share, rows[r], columns[c]);
        (*most)[r][c] = std::max((*most)[r][c], one.words);
        messages = std::max(messages, one.messages);
      }
    }
  }
  const auto row_kinds = kinds(WorkAxis::rows, size_.m, columns);
  const auto column_kinds = kinds(WorkAxis::columns, size_.n, inner);
  std::int64_t words = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!sums[i]) continue;
    for (const Kind& row : row_kinds) {
      for (const Kind& column : column_kinds) {
        const std::size_t r = row.is_long ? 1 : 0, c = column.is_long ? 1 : 0;
        words = std::max(words, rows[r] * (inner[i] - column.shares[i]) * steps.column_tiles +
                                    inner[i] * (columns[c] - row.shares[c]) * steps.row_tiles +
                                    (*sums[i])[r][c]);
      }
    }
  }
  return {static_cast<double>(rows[1]) * static_cast<double>(columns[1]) *
              static_cast<double>(inner[1]),
          static_cast<double>(words),
          messages_of_operands(steps) + static_cast<double>(messages * steps.tiles())};
}

std::string to_string(const BrickGrid& grid) {
  return fmt::format("{}x{}x{} (rows x columns x layers)", grid.parts(WorkAxis::rows),
                     grid.parts(WorkAxis::columns), grid.parts(WorkAxis::inner));
}

}  // namespace cuboid::detail
