#pragma once

#include <cuboid/export.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cuboid {

/// The order in which ranks are numbered on a process grid: along the rows first, or down the
/// columns first.
enum class GridOrder { row_major, column_major };

/// A rank's position on a process grid.
struct GridPosition {
  int row = 0;
  int column = 0;
  bool operator==(const GridPosition&) const = default;
};

/// The ranks and their places on a grid whose ranks are numbered neither along its rows nor down
/// its columns. A place is row · columns + column.
class CUBOID_API GridNumbering {
 public:
  virtual ~GridNumbering() = default;
  /// The rank at a place of the grid.
  virtual int rank_at(int place) const = 0;
  /// The place of a rank; -1 for a rank outside the grid.
  virtual int place_of(int rank) const = 0;
  /// The highest rank on the grid.
  virtual int last_rank() const = 0;
};

/// A P×Q grid of ranks of a communicator: of the ranks 0 … P·Q-1, or of ranks that are listed. All
/// other ranks are outside the grid. A pure value.
class CUBOID_API GridShape {
 public:
  /// The grid of one rank.
  GridShape() = default;
  /// Throws Error(invalid_argument) for P or Q < 1, or more than 2^31 - 1 ranks.
  GridShape(int rows, int columns, GridOrder order = GridOrder::row_major);
  /// @param ranks  the rank at each position, row by row; any ranks, each once.
  /// Throws Error(invalid_argument) as above, and if `ranks` are not P·Q different ranks.
  GridShape(int rows, int columns, std::vector<int> ranks);
  /// A grid of P·Q ranks that the numbering computes; no rank needs to be listed. Copies share the
  /// numbering. Throws Error(invalid_argument) for P or Q < 1, or more than 2^31 - 1 ranks.
  GridShape(int rows, int columns, std::shared_ptr<const GridNumbering> numbering);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  /// The order of the ranks' numbers. Meaningless if is_listed().
  GridOrder order() const { return order_; }
  /// True if a list or a GridNumbering says which rank is where.
  bool is_listed() const { return numbering_ != nullptr; }
  /// P·Q, the number of ranks on the grid.
  int size() const { return rows_ * columns_; }
  /// The highest rank on the grid.
  int last_rank() const { return numbering_ ? numbering_->last_rank() : size() - 1; }
  /// True if the ranks on the grid are 0 … P·Q-1, in any order.
  bool is_on_first_ranks() const { return last_rank() == size() - 1; }

  /// The rank at a position. The position must be on the grid, which is not checked.
  int rank(GridPosition position) const;
  /// The position of a rank; nullopt for a rank outside the grid.
  std::optional<GridPosition> position(int rank) const;

  /// The Q×P grid on which the row and column of every rank are exchanged.
  GridShape transposed() const;

  /// True if every position has the same rank on both grids.
  bool operator==(const GridShape& other) const;

 private:
  int rows_ = 1;
  int columns_ = 1;
  GridOrder order_ = GridOrder::row_major;

  std::shared_ptr<const GridNumbering> numbering_;  // where there is one; shared by copies
};

/// "2x3", "2x3 column-major" or "2x3 reordered" where the ranks are listed.
CUBOID_API std::string to_string(const GridShape& grid);

/// The grid of `ranks` >= 1 ranks on which each rank moves the least data in a product with a
/// square C. Among the grids that leave at most a tenth of the ranks outside it has the least 1/P +
/// 1/Q (for 13 ranks: 3x4), and P <= Q. P <= Q, since panels of A, unlike those of B, are
/// contiguous in column-major storage. Throws Error(invalid_argument) for ranks < 1.
CUBOID_API GridShape choose_grid(int ranks);

}  // namespace cuboid
