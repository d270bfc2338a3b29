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

/// The two lengths of the parts of an extent, the shorter first.
std::array<std::int64_t, 2> lengths(std::int64_t extent, std::int64_t parts) {
  return {extent / parts, extent / parts + (extent % parts != 0 ? 1 : 0)};
}

std::int64_t part_length(std::int64_t extent, std::int64_t part, std::int64_t parts) {
  return part_begin(extent, part + 1, parts) - part_begin(extent, part, parts);
}

/// The elements of a face that the rank with a share of it owns: shares consist of whole lines.
std::int64_t own_elements(std::int64_t lines, std::int64_t length, int share, int shares) {
  return part_length(lines, share, shares) * length;
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
  cut_faces();
}

std::int64_t BrickGrid::extent(WorkAxis along) const {
  switch (along) {
    case WorkAxis::rows: return size_.m;
    case WorkAxis::columns: return size_.n;
    case WorkAxis::inner: break;
  }
  return size_.k;
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
  return {part(BlockCyclic<Row>::even(size_.m, parts_[0]), position.row),
          part(BlockCyclic<Column>::even(size_.n, parts_[1]), position.column),
          part(BlockCyclic<Inner>::even(size_.k, parts_[2]), position.layer)};
}

/// Cuts each face so that the busiest rank owns the most of it, into columns if rows are no better.
void BrickGrid::cut_faces() {
  using enum WorkAxis;
  const std::int64_t height = lengths(size_.m, parts_[0])[1],
                     breadth = lengths(size_.n, parts_[1])[1],
                     depth = lengths(size_.k, parts_[2])[1];
  const auto set = [&](WorkAxis across, WorkAxis cut) {
    cuts_[static_cast<std::size_t>(across)] = cut;
  };
  if (depth * (height / parts_[1]) > height * (depth / parts_[1])) set(columns, rows);
  if (breadth * (depth / parts_[0]) > depth * (breadth / parts_[0])) set(rows, inner);
  if (most_summed(breadth, height) < most_summed(height, breadth)) set(inner, rows);
}

GridShape BrickGrid::grid_of_face(WorkAxis down, WorkAxis along, WorkAxis across) const {
  const int shares_down = shares(down, across), shares_along = shares(along, across);
  const int columns = parts(along) * shares_along;
  std::vector<int> listed(static_cast<std::size_t>(ranks()));
  for (int rank = 0; rank < ranks(); ++rank) {
    const BrickPosition at = *position(rank);
    const std::array place{at.row, at.column, at.layer};
    const auto line = [&](WorkAxis axis, int shares) {
      return place[static_cast<std::size_t>(axis)] * shares +
             (shares > 1 ? share(rank, across) : 0);
    };
    listed[static_cast<std::size_t>(line(down, shares_down) * columns +
                                    line(along, shares_along))] = rank;
  }
  return {parts(down) * shares_down, columns, std::move(listed)};
}

Layout BrickGrid::a_layout() const {
  return {a_rows(), a_inner().as<Column>(),
          grid_of_face(WorkAxis::rows, WorkAxis::inner, WorkAxis::columns)};
}

Layout BrickGrid::b_layout() const {
  return {b_inner().as<Row>(), b_columns(),
          grid_of_face(WorkAxis::inner, WorkAxis::columns, WorkAxis::rows)};
}

Layout BrickGrid::c_layout() const {
  return {c_rows(), c_columns(), grid_of_face(WorkAxis::rows, WorkAxis::columns, WorkAxis::inner)};
}

BrickGrid::SummedWords BrickGrid::sums_for(std::int64_t share, std::int64_t length,
                                           std::int64_t lines) const {
  const std::int64_t layers = parts_[2];
  const auto is_along_inner = [](const Split& split) { return split.along == WorkAxis::inner; };
  if (std::ranges::count_if(splits_, is_along_inner) == 1 &&
      sums_in_pieces(length, lengths(lines, layers)[1], lines, layers)) {
    // Pieces of equally many elements come from all other ranks, then the rank's own lines that lie
    // in other ranks' pieces.
    const auto piece_begin = [&](std::int64_t part) {
      return part_begin(length * lines, part, layers);
    };
    const std::int64_t begin = part_begin(lines, share, layers) * length;
    const std::int64_t end = part_begin(lines, share + 1, layers) * length;
    const std::int64_t piece = piece_begin(share + 1) - piece_begin(share);
    const std::int64_t summed = std::max<std::int64_t>(
        0, std::min(end, piece_begin(share + 1)) - std::max(begin, piece_begin(share)));
    SummedWords sums{(layers - 1) * piece + (end - begin - summed), layers - 1};
    if (begin == end) return sums;
    const auto piece_with = [&](std::int64_t element) {
      return ((element + 1) * layers - 1) / (length * lines);
    };
    sums.messages += piece_with(end - 1) - piece_with(begin) + (summed > 0 ? 0 : 1);
    return sums;
  }
  // Split by split, last first: contributions come from the other parts of the split, for the lines
  // that the ranks of this part keep.
  SummedWords sums;
  std::int64_t shares = 1;
  for (const Split& split : splits_) {
    if (!is_along_inner(split)) continue;
    const std::int64_t first = share / shares * shares;
    const std::int64_t kept =
        part_begin(lines, first + shares, layers) - part_begin(lines, first, layers);
    sums.words += (split.parts - 1) * length * kept;
    sums.messages += split.parts - 1;
    shares *= split.parts;
  }
  return sums;
}

std::int64_t BrickGrid::most_summed(std::int64_t length, std::int64_t lines) const {
  if (lines % parts_[2] == 0) return sums_for(0, length, lines).words;
  std::int64_t most = 0;
  for (std::int64_t share = 0; share < parts_[2]; ++share)
    most = std::max(most, sums_for(share, length, lines).words);
  return most;
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
  const std::int64_t rows = mine.rows.extent(), columns = mine.columns.extent(),
                     inner = mine.inner.extent();
  const auto own = [&](WorkAxis across, WorkAxis one, std::int64_t of_one, std::int64_t of_other) {
    return cut(across) == one ? own_elements(of_one, of_other, share(rank, across), parts(across))
                              : own_elements(of_other, of_one, share(rank, across), parts(across));
  };
  const std::int64_t own_a = own(WorkAxis::columns, WorkAxis::inner, inner, rows);
  const std::int64_t own_b = own(WorkAxis::rows, WorkAxis::columns, columns, inner);
  const SummedWords sums = sums_of_face(share(rank, WorkAxis::inner), rows, columns);
  return {mine.work(),
          static_cast<double>((rows * inner - own_a) * steps.column_tiles +
                              (inner * columns - own_b) * steps.row_tiles + sums.words),
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

/// A kind of ranks at one position along an axis: the length of their bricks along it, and their
/// share of the axis along which their face is cut, for a shorter and for a longer part of it.
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
        const SummedWords one = sums_of_face(share, rows[r], columns[c]);
        (*most)[r][c] = std::max((*most)[r][c], one.words);
        messages = std::max(messages, one.messages);
      }
    }
  }
  const bool a_in_rows = cut(WorkAxis::columns) == WorkAxis::rows,
             b_in_rows = cut(WorkAxis::rows) == WorkAxis::inner;
  const auto row_kinds = kinds(WorkAxis::rows, size_.m, b_in_rows ? inner : columns);
  const auto column_kinds = kinds(WorkAxis::columns, size_.n, a_in_rows ? rows : inner);
  std::int64_t words = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!sums[i]) continue;
    for (const Kind& row : row_kinds) {
      for (const Kind& column : column_kinds) {
        const std::size_t r = row.is_long ? 1 : 0, c = column.is_long ? 1 : 0;
        const std::int64_t a = a_in_rows ? (rows[r] - column.shares[r]) * inner[i]
                                         : rows[r] * (inner[i] - column.shares[i]);
        const std::int64_t b = b_in_rows ? (inner[i] - row.shares[i]) * columns[c]
                                         : inner[i] * (columns[c] - row.shares[c]);
        words = std::max(words, a * steps.column_tiles + b * steps.row_tiles + (*sums[i])[r][c]);
      }
    }
  }
  return {static_cast<double>(rows[1]) * static_cast<double>(columns[1]) *
              static_cast<double>(inner[1]),
          static_cast<double>(words),
          messages_of_operands(steps) + static_cast<double>(messages * steps.tiles())};
}

bool sums_in_pieces(std::int64_t length, std::int64_t most_lines, std::int64_t lines,
                    std::int64_t ranks) {
  return length * most_lines > lengths(length * lines, ranks)[1];
}

std::string to_string(const BrickGrid& grid) {
  return fmt::format("{}x{}x{} (rows x columns x layers)", grid.parts(WorkAxis::rows),
                     grid.parts(WorkAxis::columns), grid.parts(WorkAxis::inner));
}

}  // namespace cuboid::detail
