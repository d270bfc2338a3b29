#include "mm/drivers/bricks/brick_schedule.hpp"

#include "mm/matrix/even_parts.hpp"
#include "mm/matrix/ranks.hpp"

#include <algorithm>
#include <numeric>

namespace cuboid::detail {

namespace {

std::vector<std::int64_t> extents_of(const Chunks& chunks) {
  std::vector<std::int64_t> extents;
  for (const BrickChunk& chunk : chunks) extents.push_back(chunk.extent);
  return extents;
}

/// The chunk of each share of an extent.
Chunks chunks_of_shares(std::int64_t extent, int shares) {
  Chunks chunks;
  for (int share = 0; share < shares; ++share) {
    const std::int64_t begin = part_begin(extent, share, shares);
    chunks.push_back({begin, part_begin(extent, share + 1, shares) - begin});
  }
  return chunks;
}

Chunks within(const BrickChunk& range, const Chunks& chunks) {
  Chunks common;
  for (const BrickChunk& chunk : chunks) {
    const std::int64_t begin = std::max(chunk.begin, range.begin);
    const std::int64_t end = std::min(chunk.end(), range.end());
    if (begin < end) common.push_back({begin, end - begin});
  }
  return common;
}

/// The same indices in the fewest chunks.
Chunks joined(const Chunks& chunks) {
  Chunks result;
  for (const BrickChunk& chunk : chunks) {
    if (!result.empty() && result.back().end() == chunk.begin) {
      result.back().extent += chunk.extent;
    } else {
      result.push_back(chunk);
    }
  }
  return result;
}

}  // namespace

std::int64_t FaceRound::columns_of(std::size_t first, std::size_t count) const {
  const auto begin = columns.begin() + static_cast<std::ptrdiff_t>(first);
  return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(count), std::int64_t{0});
}

std::int64_t extent_of(const Chunks& chunks) {
  std::int64_t extent = 0;
  for (const BrickChunk& chunk : chunks) extent += chunk.extent;
  return extent;
}

std::vector<Chunks> in_chunks_of_shares(const std::vector<std::int64_t>& shares, int parts) {
  std::vector<Chunks> result(as_size(parts));
  std::int64_t begin = 0, next_longer = 0;
  for (const std::int64_t extent : shares) {
    const std::int64_t longer = extent % parts;
    for (int part = 0; part < parts; ++part) {
      const bool is_longer = (part - next_longer + parts) % parts < longer;
      const std::int64_t length = extent / parts + (is_longer ? 1 : 0);
      result[as_size(part)].push_back({begin, length});
      begin += length;
    }
    next_longer = (next_longer + longer) % parts;
  }
  return result;
}

BrickSchedule::BrickSchedule(const BrickGrid& grid, int rank, const BrickSteps& steps) {
  using enum WorkAxis;
  const Brick brick = grid.brick(*grid.position(rank));
  const auto extent = [&](WorkAxis along) {
    return along == WorkAxis::rows      ? brick.rows.extent()
           : along == WorkAxis::columns ? brick.columns.extent()
                                        : brick.inner.extent();
  };
  const auto shares = [&](WorkAxis across) -> Shares {
    const WorkAxis cut = grid.cut(across);
    return {cut, chunks_of_shares(extent(cut), grid.parts(across)),
            as_size(grid.share(rank, across))};
  };
  a_ = shares(WorkAxis::columns);
  b_ = shares(WorkAxis::rows);
  c_ = shares(inner);
  const auto tiles = [&](WorkAxis along, const Shares& cut, int parts) {
    if (cut.cut != along) return in_chunks_of_shares({extent(along)}, parts);
    return in_chunks_of_shares(extents_of(cut.all), parts);
  };
  row_tiles_ = tiles(WorkAxis::rows, c_, steps.row_tiles);
  column_tiles_ = tiles(WorkAxis::columns, c_, steps.column_tiles);
  const bool a_in_place = grid.parts(WorkAxis::columns) == 1;
  rounds_ = tiles(inner, a_in_rows() && !a_in_place ? b_ : a_, steps.rounds);
  for (std::size_t step = 0; step < this->steps(); ++step) {
    own_a_.push_back(own_part(a_, WorkAxis::rows, inner, step));
    own_b_.push_back(own_part(b_, inner, WorkAxis::columns, step));
    own_c_.push_back(own_part(c_, WorkAxis::rows, WorkAxis::columns, step));
  }
}

const Chunks& BrickSchedule::along(WorkAxis axis, std::size_t step) const {
  return axis == WorkAxis::rows      ? rows(step)
         : axis == WorkAxis::columns ? columns(step)
                                     : inner(step);
}

BrickSchedule::OwnPart BrickSchedule::own_part(const Shares& shares, WorkAxis down, WorkAxis along,
                                               std::size_t step) const {
  const auto own = [&](WorkAxis axis) {
    if (axis != shares.cut) return joined(this->along(axis, step));
    const BrickChunk& share = shares.all[shares.own];
    Chunks chunks = joined(within(share, this->along(axis, step)));
    for (BrickChunk& chunk : chunks) chunk.begin -= share.begin;
    return chunks;
  };
  return {own(down), own(along)};
}

FaceRound BrickSchedule::face_round(const Shares& shares, WorkAxis other, std::size_t step) const {
  FaceRound round{.rows = extent_of(along(other, step)), .columns = {}};
  for (const BrickChunk& share : shares.all)
    round.columns.push_back(extent_of(within(share, along(shares.cut, step))));
  return round;
}

bool BrickSchedule::b_comes_in_pieces() const {
  return (rounds_.front().size() > 1 && rounds_.size() > 1) ||
         (column_tiles_.front().size() > 1 && column_tiles_.size() > 1);
}

FaceRounds BrickSchedule::a_rounds() const {
  FaceRounds face;
  const std::size_t rounds = rounds_.size(), of_row = column_tiles_.size() * rounds;
  for (std::size_t row = 0; row < row_tiles_.size(); ++row) {
    for (std::size_t round = 0; round < rounds; ++round)
      face.rounds.push_back(
          face_round(a_, a_in_rows() ? WorkAxis::inner : WorkAxis::rows, row * of_row + round));
  }
  for (std::size_t step = 0; step < steps(); ++step)
    face.by_step.push_back(row_tile(step) * rounds + round(step));
  return face;
}

FaceRounds BrickSchedule::b_rounds() const {
  FaceRounds face;
  // The steps of the first row of tiles have all columns and all inner indices.
  for (std::size_t step = 0; step < column_tiles_.size() * rounds_.size(); ++step)
    face.rounds.push_back(face_round(b_, b_in_rows() ? WorkAxis::columns : WorkAxis::inner, step));
  for (std::size_t step = 0; step < steps(); ++step)
    face.by_step.push_back(step % face.rounds.size());
  return face;
}

std::vector<FaceRound> BrickSchedule::c_tiles() const {
  std::vector<FaceRound> tiles;
  for (std::size_t step = 0; step < steps(); step += rounds_.size())
    tiles.push_back(face_round(c_, c_in_rows() ? WorkAxis::columns : WorkAxis::rows, step));
  return tiles;
}

}  // namespace cuboid::detail
