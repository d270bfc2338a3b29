#include "mm/drivers/bricks/brick_schedule.hpp"

#include "mm/matrix/as_size.hpp"

#include <algorithm>
#include <numeric>

namespace cuboid::detail {

namespace {

std::vector<std::int64_t> extents_of(const Chunks& chunks) {
  std::vector<std::int64_t> extents;
  for (const BrickChunk& chunk : chunks) extents.push_back(chunk.extent);
  return extents;
}

template <class Dimension>
std::vector<std::int64_t> shares_of(const BlockCyclic<Dimension>& cut, int first, int count) {
  std::vector<std::int64_t> extents;
  for (int share = first; share < first + count; ++share)
    extents.push_back(cut.local_extent(share));
  return extents;
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

BrickSchedule::BrickSchedule(const BrickGrid& grid, int rank, const BrickSteps& steps)
    : a_share_(as_size(grid.share(rank, WorkAxis::columns))),
      b_share_(as_size(grid.share(rank, WorkAxis::rows))),
      c_share_(as_size(grid.share(rank, WorkAxis::inner))) {
  const BrickPosition at = *grid.position(rank);
  const int a_shares = grid.parts(WorkAxis::columns), b_shares = grid.parts(WorkAxis::rows),
            c_shares = grid.parts(WorkAxis::inner);
  rounds_ =
      in_chunks_of_shares(shares_of(grid.a_inner(), at.layer * a_shares, a_shares), steps.rounds);
  column_tiles_ = in_chunks_of_shares(shares_of(grid.c_columns(), at.column * c_shares, c_shares),
                                      steps.column_tiles);
  for (const Chunks& rows : in_chunks_of_shares({grid.brick(at).rows.extent()}, steps.row_tiles))
    row_tiles_.push_back(rows.front());
  b_shares_ =
      in_chunks_of_shares(shares_of(grid.b_columns(), at.column * b_shares, b_shares), 1).front();
  for (const Chunks& columns : column_tiles_)
    own_b_columns_.push_back(within(b_shares_[b_share_], columns));
}

bool BrickSchedule::b_comes_in_pieces() const {
  return (rounds_.front().size() > 1 && rounds_.size() > 1) ||
         (column_tiles_.front().size() > 1 && column_tiles_.size() > 1);
}

FaceRounds BrickSchedule::a_rounds() const {
  FaceRounds face;
  for (const BrickChunk& rows : row_tiles_) {
    for (const Chunks& inner : rounds_) face.rounds.push_back({rows.extent, extents_of(inner)});
  }
  for (std::size_t step = 0; step < steps(); ++step)
    face.by_step.push_back(row_tile(step) * rounds_.size() + round(step));
  return face;
}

FaceRounds BrickSchedule::b_rounds() const {
  FaceRounds face;
  // The steps of the first row of tiles have all columns and all inner indices.
  for (std::size_t step = 0; step < column_tiles_.size() * rounds_.size(); ++step) {
    FaceRound& round = face.rounds.emplace_back();
    round.rows = extent_of(inner(step));
    for (const BrickChunk& share : b_shares_)
      round.columns.push_back(extent_of(within(share, columns(step))));
  }
  for (std::size_t step = 0; step < steps(); ++step)
    face.by_step.push_back(step % face.rounds.size());
  return face;
}

std::vector<FaceRound> BrickSchedule::c_tiles() const {
  std::vector<FaceRound> tiles;
  for (const BrickChunk& rows : row_tiles_) {
    for (const Chunks& columns : column_tiles_) tiles.push_back({rows.extent, extents_of(columns)});
  }
  return tiles;
}

}  // namespace cuboid::detail
