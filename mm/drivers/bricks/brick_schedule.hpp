#pragma once

#include "mm/decompositions/brick_grid.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// The part of a face that travels in one round: whole columns of `rows` elements, a number of each
/// share. A face that is cut into shares of whole rows is transposed in memory, so these are its
/// columns there.
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

  /// The step's rows, columns and inner indices. Those along which a face is cut are a chunk of
  /// each of its shares, of C's for rows and columns, of A's or, if A does not lie in place, of B's
  /// for inner indices.
  const Chunks& rows(std::size_t step) const { return row_tiles_[row_tile(step)]; }
  const Chunks& columns(std::size_t step) const { return column_tiles_[column_tile(step)]; }
  const Chunks& inner(std::size_t step) const { return rounds_[round(step)]; }

  /// A rank's part of a face: of the whole along one axis, a share along the other.
  struct OwnPart {
    Chunks rows, columns;  ///< the step's, counted from the first index that this rank owns
  };
  /// What this rank owns of A, B and C in a step; rows and columns are those of the matrix.
  const OwnPart& own_a(std::size_t step) const { return own_a_[step]; }
  const OwnPart& own_b(std::size_t step) const { return own_b_[step]; }
  const OwnPart& own_c(std::size_t step) const { return own_c_[step]; }

  std::size_t a_share() const { return a_.own; }
  std::size_t b_share() const { return b_.own; }
  std::size_t c_share() const { return c_.own; }
  /// True if a face is cut into shares of whole rows.
  bool a_in_rows() const { return a_.cut == WorkAxis::rows; }
  bool b_in_rows() const { return b_.cut == WorkAxis::inner; }
  bool c_in_rows() const { return c_.cut == WorkAxis::rows; }

  /// True if B's panels must be assembled even if no other rank has a part of them. A step's rows
  /// of B come from A's shares and its columns from C's shares; together they may be no single
  /// range.
  bool b_comes_in_pieces() const;

  FaceRounds a_rounds() const;
  FaceRounds b_rounds() const;
  std::vector<FaceRound> c_tiles() const;

 private:
  /// The shares of a face, in the brick's indices along the axis that they cut.
  struct Shares {
    WorkAxis cut = WorkAxis::columns;
    Chunks all;
    std::size_t own = 0;
  };
  const Chunks& along(WorkAxis axis, std::size_t step) const;
  OwnPart own_part(const Shares& shares, WorkAxis down, WorkAxis along, std::size_t step) const;
  FaceRound face_round(const Shares& shares, WorkAxis other, std::size_t step) const;

  Shares a_, b_, c_;
  std::vector<Chunks> row_tiles_;
  std::vector<Chunks> column_tiles_;
  std::vector<Chunks> rounds_;
  std::vector<OwnPart> own_a_, own_b_, own_c_;  // by step
};

}  // namespace cuboid::detail
