#pragma once

#include <cuboid/layout.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// The three axes along which the work, a cuboid of m×n×k multiplications, can be cut. Bricks that
/// are neighbours along an axis share one face: of A along columns, of B along rows, of C along the
/// inner dimension.
enum class WorkAxis { rows, columns, inner };

/// "rows", "columns" or "inner".
std::string_view to_string(WorkAxis axis);

/// One cut of the work into nearly equal parts.
struct Split {
  WorkAxis along = WorkAxis::rows;
  int parts = 1;
  bool operator==(const Split&) const = default;
};

/// A position on a grid of bricks.
struct BrickPosition {
  int row = 0;
  int column = 0;
  int layer = 0;
  bool operator==(const BrickPosition&) const = default;
};

/// A box of the work: rows × columns of C, summed over the inner range.
struct Brick {
  GlobalRange<Row> rows;
  GlobalRange<Column> columns;
  GlobalRange<Inner> inner;

  /// The number of multiplications in it.
  double work() const {
    return static_cast<double>(rows.extent()) * static_cast<double>(columns.extent()) *
           static_cast<double>(inner.extent());
  }
};

/// The cost of a multiplication for one rank, in matrix elements ("words") and messages of a
/// two-sided exchange.
struct BrickCost {
  double work = 0;  ///< multiplications
  /// Words of A and B that it does not own, and of C that it sums for its own part.
  double words_received = 0;
  double messages = 0;  ///< messages received
};

/// The steps in which a rank goes through its brick. It multiplies one tile of its part of C after
/// the other (the sequential splits of m and n), row of tiles by row of tiles, and each tile in
/// rounds along the inner dimension. A's face arrives once for each column of tiles, B's face once
/// for each row of tiles.
struct BrickSteps {
  int rounds = 1;
  int row_tiles = 1;
  int column_tiles = 1;

  int tiles() const { return row_tiles * column_tiles; }
  std::int64_t count() const { return std::int64_t{rounds} * tiles(); }
  bool operator==(const BrickSteps&) const = default;
};

/// The work, cut into one brick per rank by a list of splits. The first split cuts all ranks and
/// all work into parts, the next split cuts each of these parts, and so on. A 2D decomposition has
/// two splits, COSMA's (Kwasniewski et al. 2019, §3) up to three, CARMA's (Kwasniewski et al. 2019,
/// §2) as many as the number of ranks has factors. The parts of the last split are neighbouring
/// ranks. Ranks beyond the product of all parts are outside the grid.
///
/// Each rank owns an equal share of each face of its brick: whole columns of it or, where their
/// number divides less evenly and ranks would receive more words, whole rows. So every element
/// belongs to one rank that needs it, and the elements that a rank lacks are spread evenly over the
/// ranks that share the face (the blocked layout of Kwasniewski et al. 2019, §7.6). A pure value.
class BrickGrid {
 public:
  /// No work on one rank.
  BrickGrid() = default;
  /// Throws Error(invalid_argument) for negative extents, parts < 1, or more than 2^31 - 1 ranks.
  BrickGrid(const ProductSize& size, std::vector<Split> splits);

  const ProductSize& size() const { return size_; }
  const std::vector<Split>& splits() const { return splits_; }
  /// The number of parts along an axis, over all splits.
  int parts(WorkAxis along) const { return parts_[static_cast<std::size_t>(along)]; }
  /// The number of ranks with a brick: ranks 0 … ranks() - 1.
  int ranks() const { return parts_[0] * parts_[1] * parts_[2]; }

  /// The position of a rank; nullopt for a rank outside the grid.
  std::optional<BrickPosition> position(int rank) const;
  Brick brick(const BrickPosition& position) const;

  /// The part of a split that a rank is in. `rank` < ranks().
  int digit(int rank, std::size_t split) const;
  /// The number of the share that a rank owns of the face shared along `across`, i.e. by the ranks
  /// that differ only in the digits of the splits along `across`. The digit of the first split is
  /// the least significant, so ranks that differ in it alone own adjacent shares.
  int share(int rank, WorkAxis across) const;
  /// The axis along which the face shared along `across` is cut into shares.
  WorkAxis cut(WorkAxis across) const { return cuts_[static_cast<std::size_t>(across)]; }

  /// The layouts of op(A), op(B) and C.
  Layout a_layout() const;
  Layout b_layout() const;
  Layout c_layout() const;

  /// The distributions of each axis: into the bricks' parts, and these into shares for the ranks
  /// that share a face.
  BlockCyclic<Row> a_rows() const { return in_shares<Row>(WorkAxis::rows, WorkAxis::columns); }
  BlockCyclic<Inner> a_inner() const {
    return in_shares<Inner>(WorkAxis::inner, WorkAxis::columns);
  }
  BlockCyclic<Inner> b_inner() const { return in_shares<Inner>(WorkAxis::inner, WorkAxis::rows); }
  BlockCyclic<Column> b_columns() const {
    return in_shares<Column>(WorkAxis::columns, WorkAxis::rows);
  }
  BlockCyclic<Row> c_rows() const { return in_shares<Row>(WorkAxis::rows, WorkAxis::inner); }
  BlockCyclic<Column> c_columns() const {
    return in_shares<Column>(WorkAxis::columns, WorkAxis::inner);
  }

  /// The cost for `rank` of one multiplication of operands in these layouts. With several tiles,
  /// sums of C may take up to a column of a tile more or less.
  BrickCost cost(int rank, const BrickSteps& steps = {}) const;
  /// The largest work, words and messages of all ranks.
  BrickCost busiest(const BrickSteps& steps = {}) const;

  bool operator==(const BrickGrid&) const = default;

 private:
  /// The words and messages that a rank receives to sum its own share of C.
  struct SummedWords {
    std::int64_t words = 0;
    std::int64_t messages = 0;
  };
  /// The words and messages of FaceSum for a face of C of some lines (columns, or rows if they are
  /// what shares consist of) of `length` elements.
  SummedWords sums_for(std::int64_t share, std::int64_t length, std::int64_t lines) const;
  /// The same for a face of `rows` × `columns`.
  SummedWords sums_of_face(std::int64_t share, std::int64_t rows, std::int64_t columns) const {
    return cut(WorkAxis::inner) == WorkAxis::columns ? sums_for(share, rows, columns)
                                                     : sums_for(share, columns, rows);
  }
  std::int64_t most_summed(std::int64_t length, std::int64_t lines) const;
  void cut_faces();
  std::int64_t extent(WorkAxis along) const;
  /// The number of shares into which the face shared along `across` is cut along `along`.
  int shares(WorkAxis along, WorkAxis across) const {
    return cut(across) == along ? parts(across) : 1;
  }
  template <class Dimension>
  BlockCyclic<Dimension> in_shares(WorkAxis along, WorkAxis across) const {
    return BlockCyclic<Dimension>::even(extent(along), parts(along), shares(along, across));
  }
  /// The grid of a matrix with `down` along its rows and `along` along its columns.
  GridShape grid_of_face(WorkAxis down, WorkAxis along, WorkAxis across) const;
  /// The number of the share of the ranks at a position along `across`. It is a share of the face
  /// that is shared along `across`.
  std::int64_t share_at(WorkAxis across, std::int64_t position) const;
  double messages_of_operands(const BrickSteps& steps) const;

  ProductSize size_;
  std::vector<Split> splits_;
  std::array<int, 3> parts_{1, 1, 1};  // by WorkAxis
  // by the axis along which a face is shared
  std::array<WorkAxis, 3> cuts_{WorkAxis::columns, WorkAxis::inner, WorkAxis::columns};
};

/// True if a face of C is summed in pieces of equally many elements, from which ranks then pass on
/// what others own; false if the largest share, `most_lines` of the `lines` of `length` elements,
/// is no larger than such a piece, so shares are summed as they are.
bool sums_in_pieces(std::int64_t length, std::int64_t most_lines, std::int64_t lines,
                    std::int64_t ranks);

/// "4x2x3 (rows x columns x layers)".
std::string to_string(const BrickGrid& grid);

}  // namespace cuboid::detail
