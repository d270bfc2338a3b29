#pragma once

#include "models/factorisation/panel_schedule.hpp"

#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// The steps of 2.5D Cholesky, A = L·Lᴴ, and what each rank does in them. Blocks, grid and layers
/// are those of LU on an n×n matrix, but only the lower triangle is worked on. A pure value. In
/// every step
///
///   A  the panel is summed over the layers; the rank of the diagonal block factorises it, and the
///      ranks of the panel's grid column, in all layers, solve for the rows of L below it;
///   B  each layer gets its slice of L's columns, which travel along the grid's rows. Then the rank
///      at row i and column j has the rows of L of all blocks of grid row i. Those of these rows
///      whose numbers are columns of grid column j travel, transposed, down the grid's columns;
///   U  each layer subtracts the product of both from the lower triangle of its part.
///
/// Per step a rank receives w/c·(r/p + r/q) words in B for a panel of w columns and r rows below
/// it, on c layers of p×q ranks. In all that is n²/√(P·c) for P ranks of square layers, as many as
/// in LU, which sends U in place of Lᴴ. With the memory M = c·n²/P that is n³/(P·√M), as in
/// COnfCHOX; the lower bound is n³/(3·P·√M) (Kwasniewski et al. 2021). LU also sums its block rows
/// over the layers; Cholesky does not send these (c - 1)·n²/(2P) words.
class CholeskySchedule {
 public:
  /// @param blocks  the blocks of a square matrix.
  explicit CholeskySchedule(const PanelSchedule& blocks) : blocks_(blocks) {}

  const PanelSchedule& blocks() const { return blocks_; }

  /// The grid rows whose ranks have rows that are also columns of a grid column, in ascending
  /// order. Block i belongs to grid row i mod p and grid column i mod q. There is one such grid row
  /// if p divides q.
  std::vector<int> senders(int grid_column) const;

  /// Calls use(rows, columns) for the blocks right of a step's panel that are local rows of the
  /// grid row and local columns of the grid column, in ascending order.
  template <class Use>
  void for_shared_blocks(const PanelStep& step, int grid_row, int grid_column,
                         const Use& use) const {
    const std::int64_t block = blocks_.block();
    const std::int64_t next = (step.end + block - 1) / block;
    const std::int64_t ahead =
        (grid_column - next % blocks_.columns() + blocks_.columns()) % blocks_.columns();
    for (std::int64_t index = next + ahead; index * block < blocks_.n();
         index += blocks_.columns()) {
      if (index % blocks_.rows() != grid_row) continue;
      const std::int64_t begin = index * block, end = std::min(begin + block, blocks_.n());
      use(Extent{blocks_.rows_before(grid_row, begin), blocks_.rows_before(grid_row, end)},
          Extent{blocks_.columns_before(grid_column, begin),
                 blocks_.columns_before(grid_column, end)});
    }
  }
  /// The number of columns of these blocks.
  std::int64_t shared_columns(const PanelStep& step, int grid_row, int grid_column) const;

  /// Rectangles, each for one product, that together cover the lower triangle of a rank's part in
  /// some of its local columns, each element once; see lower_cover().
  std::vector<LocalRectangle> lower_rectangles(int grid_row, int grid_column,
                                               const Extent& columns) const;

 private:
  PanelSchedule blocks_;
};

}  // namespace cuboid::detail
