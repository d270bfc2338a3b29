#pragma once

#include "models/multiplication/lower_cover.hpp"

#include <algorithm>
#include <cstdint>

namespace cuboid::detail {

/// One step of a blocked factorisation: the columns begin … end - 1 of its panel, and the row and
/// column of the process grid that hold their diagonal block.
struct PanelStep {
  std::int64_t index = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  int row = 0;
  int column = 0;

  std::int64_t width() const { return end - begin; }
};

/// The steps of a factorisation panel by panel, and what each rank has in them. An m×n matrix in
/// blocks of block × block is distributed cyclically to `rows` × `columns` ranks of each of
/// `layers` layers; the layers' parts sum to what is left to factorise. A pure value. Cholesky
/// (CholeskySchedule) and QR, on one layer, go through the same panels. In every step of 2.5D LU
/// (Solomonik et al. 2011, §3.1.3), with one layer 2-D LU,
///
///   C  the panel, the rows that the step exchanges, and the block row are summed over the layers;
///      each layer keeps a piece;
///   A  the ranks of the panel's grid column, in all layers, factorise the panel;
///   B  each layer gets its slice of the step's pivots: columns of L, which travel along grid rows,
///      and rows of U, which travel along grid columns; it subtracts their product from its part.
class PanelSchedule {
 public:
  /// m, n >= 0, all others >= 1. A block longer than the matrix is cut to the longer side.
  PanelSchedule(std::int64_t m, std::int64_t n, std::int64_t block, int rows, int columns,
                int layers = 1);

  std::int64_t m() const { return m_; }
  std::int64_t n() const { return n_; }
  std::int64_t block() const { return block_; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  int layers() const { return layers_; }

  /// ⌈min(m, n) / block⌉; only the last may be narrower than a block.
  std::int64_t steps() const;
  PanelStep step(std::int64_t index) const;

  /// Calls visit(step, times) for steps that stand for all steps: every step once if there are at
  /// most `most_visited`; otherwise the middle step of each of that many stretches, with `times`
  /// the stretch's length. So a sum over a schedule takes bounded time. Costs change so little from
  /// one step to the next that the sum is off by less than 1 in 10,000.
  template <class Visit>
  void visit_steps(const Visit& visit) const {
    visit_stretches(most_visited, [&](std::int64_t begin, std::int64_t end) {
      visit(step(begin + (end - begin) / 2), static_cast<double>(end - begin));
    });
  }
  static constexpr std::int64_t most_visited = 1024;

  /// The same for the last step of each of at most `stretches` stretches. Where no step costs more
  /// than the step before, the sum is at most that of visit_steps().
  /// @param stretches  a divisor of most_visited, so that each stretch is some of those above.
  template <class Visit>
  void visit_last_steps(std::int64_t stretches, const Visit& visit) const {
    visit_stretches(stretches, [&](std::int64_t begin, std::int64_t end) {
      visit(step(end - 1), static_cast<double>(end - begin));
    });
  }

  /// The number of rows before `row` that the ranks of a grid row hold: the local index of the
  /// next.
  std::int64_t rows_before(int grid_row, std::int64_t row) const;
  std::int64_t columns_before(int grid_column, std::int64_t column) const;
  /// The number of rows or columns that they hold in all.
  std::int64_t local_rows(int grid_row) const { return rows_before(grid_row, m_); }
  std::int64_t local_columns(int grid_column) const { return columns_before(grid_column, n_); }

  /// The local rows of a grid row that are left in a step: panel_rows() with those of the diagonal
  /// block, rows_below() without.
  Extent panel_rows(const PanelStep& step, int grid_row) const;
  Extent rows_below(const PanelStep& step, int grid_row) const;
  /// The local columns of a grid column right of the step's panel.
  Extent columns_right(const PanelStep& step, int grid_column) const;
  /// The local indices of the step's own columns on its grid column, and of its own rows on its
  /// grid row.
  Extent step_columns(const PanelStep& step) const;
  Extent step_rows(const PanelStep& step) const;

  /// The piece of panel_rows() that a layer factorises. In the diagonal block's grid row, layer 0
  /// has all of that block.
  Extent panel_piece(const PanelStep& step, int grid_row, int layer) const;
  /// The piece of columns_right() for which a layer solves.
  Extent row_piece(const PanelStep& step, int grid_column, int layer) const;
  /// The pivots, of 0 … width - 1, by which a layer updates.
  Extent slice(const PanelStep& step, int layer) const;

 private:
  template <class Visit>
  void visit_stretches(std::int64_t most, const Visit& visit) const {
    const std::int64_t all = steps(), stretches = std::min(all, most);
    for (std::int64_t stretch = 0; stretch < stretches; ++stretch)
      visit(all * stretch / stretches, all * (stretch + 1) / stretches);
  }

  std::int64_t m_, n_, block_;
  int rows_, columns_, layers_;
};

}  // namespace cuboid::detail
