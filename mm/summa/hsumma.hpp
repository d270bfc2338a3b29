#pragma once

#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply_options.hpp>
#include <cuboid/product_layouts.hpp>

#include "collectives/communicator/idle_ranks.hpp"
#include "mm/layout/process_grid.hpp"
#include "mm/multiplication/multiplication.hpp"
#include "mm/multiplication/redistributed_operands.hpp"
#include "mm/summa/grouped_feed.hpp"
#include "mm/summa/summa.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// How wide HSUMMA's panels are: those multiplied with, and the outer ones that travel between
/// groups, B >= b.
struct HsummaWidths {
  std::int64_t inner = default_panel_width;
  std::int64_t outer = 4 * default_panel_width;
};

/// As many outer panels groups are tried with to find the best.
inline constexpr std::int64_t sampled_outer_panels = 3;

/// C ← α·op(A)·op(B) + β·C by HSUMMA (003 §III, algorithm 1) on a process grid, ready to run many
/// times. The grid's ranks form I×J groups. An outer panel of op(A) goes by broadcast from its
/// owners along the process rows to the ranks that have the owners' place in the other groups, one
/// of op(B) along the process columns; each group then multiplies it as SUMMA does, panel by panel.
/// The next outer panel travels between groups while panels of this one travel inside them, and
/// these while the panel before is multiplied.
///
/// With one group, and with one rank in each, this is SUMMA, and SUMMA is what runs: with the inner
/// and with the outer width.
template <MatrixElement T>
class HsummaMultiplication : public Multiplication<T> {
 public:
  /// Collective over `communicator`, that of the matrices; ranks outside the grid included. A C
  /// that is not on the grid is multiplied in blocks on it and brought back; an operand that does
  /// not fit (see choose_delivery) is redistributed.
  /// Throws Error(invalid_argument) where the grid has more ranks than there are, the groups do not
  /// divide it, or the widths are not 1 <= inner <= outer; Error(out_of_memory) on every rank when
  /// one has no room.
  HsummaMultiplication(const Communicator& communicator, const GridShape& grid,
                       const GroupShape& groups, const ProductLayouts& product,
                       const HsummaWidths& widths = {}, PanelOrder order = PanelOrder::in_turn);

  PhaseSeconds run(T alpha, const Matrix<T>& A, const Matrix<T>& B, T beta, Matrix<T>& C,
                   const LocalGemm& gemm) override;

 private:
  void multiply_on_grid(T alpha, const TallOperand<T>& left, const TallOperand<T>& right, T beta,
                        LocalView<T> C, const LocalGemm& gemm, PhaseSeconds& seconds);

  ProcessGrid grid_;
  IdleRanks idle_ranks_;                      // ranks outside the grid
  std::unique_ptr<Multiplication<T>> summa_;  // where there is nothing between or inside groups
  RedistributedOperands<T> own_;
  std::vector<PanelRanges> panels_;
  std::vector<PanelSpan> outers_;
  std::optional<GroupedFeed<T>> a_, b_;  // none outside the grid
};

/// HSUMMA with the groups that a few steps show to be best, as 003 finds them: the first run()
/// multiplies, for each way to cut the grid into groups, random matrices of a few outer panels, and
/// keeps the fastest. That takes memory for those panels and a second C until it is done.
template <MatrixElement T>
class SampledHsummaMultiplication : public Multiplication<T> {
 public:
  /// As HsummaMultiplication's, which errors are as well.
  SampledHsummaMultiplication(const Communicator& communicator, const GridShape& grid,
                              const ProductLayouts& product, const HsummaWidths& widths = {},
                              PanelOrder order = PanelOrder::in_turn);

  void prepare(const LocalGemm& gemm) override;
  PhaseSeconds run(T alpha, const Matrix<T>& A, const Matrix<T>& B, T beta, Matrix<T>& C,
                   const LocalGemm& gemm) override;

  std::optional<GroupShape> sampled_groups() const override { return groups_; }

 private:
  GroupShape fastest(const LocalGemm& gemm) const;

  Communicator communicator_;
  GridShape grid_;
  ProductLayouts product_;
  HsummaWidths widths_;
  PanelOrder order_;
  std::optional<GroupShape> groups_;
  std::unique_ptr<HsummaMultiplication<T>> multiplication_;
};

}  // namespace cuboid::detail
