#pragma once

#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/product_layouts.hpp>

#include "collectives/communicator/idle_ranks.hpp"
#include "mm/decompositions/panels.hpp"
#include "mm/layout/process_grid.hpp"
#include "mm/multiplication/multiplication.hpp"
#include "mm/multiplication/redistributed_operands.hpp"
#include "mm/summa/panel_feed.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace cuboid::detail {

/// The panel width that SUMMA uses when it is not told one: the local gemm runs as fast as with
/// wider panels (measured with BLIS on AVX-512), while buffers and the first broadcast, which
/// nothing hides, stay small.
inline constexpr std::int64_t default_panel_width = 256;

/// C ← α·op(A)·op(B) + β·C by SUMMA (van de Geijn, Watts: "SUMMA: scalable universal matrix
/// multiplication algorithm", 1997) on a process grid, ready to run many times. In each step every
/// process row gets a panel of op(A) by broadcast from its owners, every process column a panel of
/// op(B), and every rank adds the panels' product to its part of C. The next step's broadcasts run
/// under the product: the gemm is cut into slabs of C, between which messages make progress.
///
/// Ranks outside the grid take part, to give what they have of A and B. Where a layout fits (the
/// rows of op(A) are dealt out as C's rows, the columns of op(B) as C's columns, on the same grid)
/// panels are sent from where they lie, or with PanelOrder::all_owners put together from all ranks
/// of the line; otherwise each panel is redistributed first, in turn. A C that is not on the grid
/// is multiplied in blocks on it and brought back.
///
/// Working memory per rank: two panels of op(A) and of op(B) (local rows resp. columns of C ×
/// panel_width each), three with PanelOrder::all_owners; for an operand whose line of the grid is a
/// single rank none, or one with PanelOrder::all_owners; where a panel is redistributed, its
/// messages as well.
template <MatrixElement T>
class SummaMultiplication : public Multiplication<T> {
 public:
  /// Collective over `communicator`, that of the matrices.
  /// @param panel_width  >= 1; panels end with blocks where those are long enough (see cut_panels).
  /// Throws Error(invalid_argument) where the grid needs more ranks than there are or the width is
  /// less than 1, Error(out_of_memory) on every rank when one has no room.
  SummaMultiplication(const Communicator& communicator, const GridShape& grid,
                      const ProductLayouts& product, std::int64_t panel_width = default_panel_width,
                      PanelOrder order = PanelOrder::in_turn);

  PhaseSeconds run(T alpha, const Matrix<T>& A, const Matrix<T>& B, T beta, Matrix<T>& C,
                   const LocalGemm& gemm) override;

 private:
  /// Step by step: panels come, and are multiplied while the next come.
  void multiply_on_grid(T alpha, const TallOperand<T>& left, const TallOperand<T>& right, T beta,
                        LocalView<T> C, const LocalGemm& gemm, PhaseSeconds& seconds);

  ProcessGrid grid_;
  IdleRanks idle_ranks_;  // ranks outside the grid
  std::vector<PanelRanges> panels_;
  int ahead_;
  std::unique_ptr<PanelFeed<T>> a_, b_;
  RedistributedOperands<T> own_;  // C alone: panels come from where operands lie
};

}  // namespace cuboid::detail
