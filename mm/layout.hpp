#pragma once

#include <cuboid/mm/block_cyclic.hpp>
#include <cuboid/mm/grid_shape.hpp>

#include <cstdint>
#include <string>

namespace cuboid {

/// Who owns which element of an m×n matrix: its rows are dealt out to the rows of a process grid,
/// its columns to the columns. Each rank stores what it owns as one column-major local matrix. What
/// a ScaLAPACK array descriptor says (M, N, MB, NB, RSRC, CSRC) as a pure value: nothing here
/// communicates.
class Layout {
 public:
  /// An empty matrix on one rank.
  Layout() = default;
  /// Throws Error(invalid_argument) where the distributions are not for the grid's rows and
  /// columns.
  Layout(const BlockCyclic<Row>& rows, const BlockCyclic<Column>& columns, const GridShape& grid);

  /// One block per rank, of ceil(m / P) × ceil(n / Q).
  static Layout block(std::int64_t m, std::int64_t n, const GridShape& grid);
  /// Blocks of row_block × column_block dealt out cyclically, the first to the rank at `source`.
  static Layout block_cyclic(std::int64_t m, std::int64_t n, std::int64_t row_block,
                             std::int64_t column_block, const GridShape& grid,
                             GridPosition source = {});
  /// The whole matrix on rank 0.
  static Layout single(std::int64_t m, std::int64_t n);

  const BlockCyclic<Row>& rows() const { return rows_; }
  const BlockCyclic<Column>& columns() const { return columns_; }
  const GridShape& grid() const { return grid_; }
  /// Rows of the whole matrix.
  std::int64_t m() const { return rows_.extent(); }
  /// Columns of the whole matrix.
  std::int64_t n() const { return columns_.extent(); }

  /// The rank that owns element (i, j).
  int owner(Global<Row> i, Global<Column> j) const {
    return grid_.rank({rows_.owner(i), columns_.owner(j)});
  }
  /// Rows and columns that `rank` stores; 0 for one outside the grid.
  std::int64_t local_rows(int rank) const;
  std::int64_t local_columns(int rank) const;

  /// The layout of the transposed matrix in which every rank owns what it owns here.
  Layout transposed() const;

  /// Whether every element has the same owner, and lies at the same place there.
  bool operator==(const Layout& other) const = default;

 private:
  BlockCyclic<Row> rows_;
  BlockCyclic<Column> columns_;
  GridShape grid_;
};

/// "1000x800 in blocks of 64x64 on a 2x3 grid", with ", first on (1,0)" where that is not (0,0).
std::string to_string(const Layout& layout);

}  // namespace cuboid
