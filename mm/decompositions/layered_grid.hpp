#pragma once

#include <cuboid/layout.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cuboid::detail {

/// A rank's position on a grid of layers.
struct LayeredPosition {
  int row = 0;
  int column = 0;
  int layer = 0;
  bool operator==(const LayeredPosition&) const = default;
};

/// A P×Q×c grid of the ranks 0 … P·Q·c-1 of a communicator: c layers of P×Q ranks. Higher ranks are
/// outside. A pure value.
class LayeredGrid {
 public:
  /// Rank (l·P + i)·Q + j at row i and column j of layer l. Throws Error(invalid_argument) for
  /// extents < 1, or more than 2^31 - 1 ranks.
  LayeredGrid(int rows, int columns, int layers);
  /// @param ranks  the rank at each position, layer by layer and row by row; a permutation of 0 …
  ///               P·Q·c-1.
  /// Throws Error(invalid_argument) as above, and if it is no permutation.
  LayeredGrid(int rows, int columns, int layers, std::vector<int> ranks);
  /// @param numbering  the rank at each place (layer · rows + row) · columns + column.
  LayeredGrid(int rows, int columns, int layers, std::shared_ptr<const GridNumbering> numbering);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  int layers() const { return layers_; }
  int size() const { return places_.size(); }

  int rank(const LayeredPosition& position) const;
  /// The position of a rank; nullopt for a rank outside the grid.
  std::optional<LayeredPosition> position(int rank) const;

  /// The layout of op(A), m×k, for 2.5D with SUMMA or Cannon in each layer: rows over the grid's
  /// rows; a slice of the columns for each layer, distributed over the grid's columns.
  Layout a_layout(std::int64_t m, std::int64_t k) const;
  /// The layout of op(B), k×n: columns over the grid's columns; a slice of the rows for each layer,
  /// distributed over the grid's rows.
  Layout b_layout(std::int64_t k, std::int64_t n) const;
  /// The layout of op(A) for 2.5D in slabs: rows over the grid's rows, each part distributed over
  /// the grid's columns; a whole slice of the columns for each layer.
  Layout a_layout_in_rows(std::int64_t m, std::int64_t k) const;
  /// The layout of op(B) for 2.5D in slabs: columns over the grid's columns; within each part, the
  /// columns of C that a layer sums are distributed over the grid's rows; a whole slice of the rows
  /// for each layer.
  Layout b_layout_in_columns(std::int64_t k, std::int64_t n) const;
  /// The ranks of layer 0, which alone own the matrices of wanted_on_first_layer().
  GridShape first_layer() const;
  /// The layout of C, m×n: rows over the grid's rows, columns over the grid's columns, and each
  /// part cut into a piece for each layer.
  Layout c_layout(std::int64_t m, std::int64_t n) const;

  /// op(A)'s rows in a_layout_in_rows(): rank j of a row of the grid has piece j.
  BlockCyclic<Row> slab_rows(std::int64_t m) const {
    return BlockCyclic<Row>::even(m, rows_, columns_);
  }
  /// op(B)'s columns in b_layout_in_columns(): rank i of a column of the grid has piece i of the
  /// columns of C that each layer sums.
  BlockCyclic<Column> slab_columns(std::int64_t n) const {
    return BlockCyclic<Column>::even(n, columns_, rows_, layers_);
  }
  /// C's columns: layer l has piece l.
  BlockCyclic<Column> c_columns(std::int64_t n) const {
    return BlockCyclic<Column>::even(n, columns_, layers_);
  }

  bool operator==(const LayeredGrid&) const = default;

 private:
  int rows_;
  int columns_;
  int layers_;
  GridShape places_;  // the grid of all ranks: layers are groups of rows
};

/// "4x4x2", followed by "reordered" if the ranks are listed.
std::string to_string(const LayeredGrid& grid);

}  // namespace cuboid::detail
