#pragma once

#include "mm/decompositions/brick_grid.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// The part of a face that travels in one round: whole columns of `rows` elements, some from each
/// share.
struct FaceRound {
  std::int64_t rows = 0;
  std::vector<std::int64_t> columns;  ///< number of columns, by share

  /// The columns of the shares first … first + count - 1.
  std::int64_t columns_of(std::size_t first, std::size_t count) const;
  std::int64_t all_columns() const { return columns_of(0, columns.size()); }
};

/// The rounds of a face that travel in a multiplication, and the round of each step. A round may
/// travel several times.
struct FaceRounds {
  std::vector<FaceRound> rounds;
  std::vector<std::size_t> by_step;

  const FaceRound& at(std::size_t step) const { return rounds[by_step[step]]; }
};

/// Indices of a rank's brick along one axis, counted from its first.
struct BrickChunk {
  std::int64_t begin = 0;
  std::int64_t extent = 0;
  std::int64_t end() const { return begin + extent; }
};

/// The indices of a round or a tile: a chunk of each share.
using Chunks = std::vector<BrickChunk>;
std::int64_t extent_of(const Chunks& chunks);

/// Cuts shares of these extents, one after the other, into `parts` parts. Each part has a chunk of
/// every share. The shares take turns in having the longer chunks, so parts differ by at most one
/// index.
std::vector<Chunks> in_chunks_of_shares(const std::vector<std::int64_t>& shares, int parts);

/// The order in which a rank multiplies its brick: tile by tile, in rounds. Pure.
class BrickSchedule {
 public:
  BrickSchedule(const BrickGrid& grid, int rank, const BrickSteps& steps);

  std::size_t steps() const { return row_tiles_.size() * column_tiles_.size() * rounds_.size(); }
  std::size_t round(std::size_t step) const { return step % rounds_.size(); }
  std::size_t tile(std::size_t step) const { return step / rounds_.size(); }
  std::size_t column_tile(std::size_t step) const { return tile(step) % column_tiles_.size(); }
  std::size_t row_tile(std::size_t step) const { return tile(step) / column_tiles_.size(); }
  bool ends_tile(std::size_t step) const { return round(step) + 1 == rounds_.size(); }

  /// The step's rows, columns by share of C, and inner indices by share of A.
  const BrickChunk& rows(std::size_t step) const { return row_tiles_[row_tile(step)]; }
  const Chunks& columns(std::size_t step) const { return column_tiles_[column_tile(step)]; }
  const Chunks& inner(std::size_t step) const { return rounds_[round(step)]; }
  /// This rank's share of B among columns(step).
  const Chunks& own_b_columns(std::size_t step) const { return own_b_columns_[column_tile(step)]; }

  /// The first index of this rank's shares in its brick.
  std::int64_t a_begin() const { return rounds_.front()[a_share_].begin; }
  std::int64_t b_begin() const { return b_shares_[b_share_].begin; }
  std::int64_t c_begin() const { return column_tiles_.front()[c_share_].begin; }
  std::size_t a_share() const { return a_share_; }
  std::size_t b_share() const { return b_share_; }
  std::size_t c_share() const { return c_share_; }

  /// True if B's panels must be assembled even if no other rank has a part of them. A step's rows
  /// of B come from A's shares and its columns from C's shares; together they may be no single
  /// range.
  bool b_comes_in_pieces() const;

  FaceRounds a_rounds() const;
  FaceRounds b_rounds() const;
  std::vector<FaceRound> c_tiles() const;

 private:
  std::size_t a_share_ = 0, b_share_ = 0, c_share_ = 0;
  std::vector<BrickChunk> row_tiles_;
  std::vector<Chunks> column_tiles_;
  std::vector<Chunks> rounds_;
  Chunks b_shares_;
  std::vector<Chunks> own_b_columns_;  // by column tile
};

}  // namespace cuboid::detail
