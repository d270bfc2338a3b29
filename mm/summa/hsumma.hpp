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

/// HSUMMA's panel widths: inner panels, which are multiplied, and outer panels, which travel
/// between groups; outer >= inner.
struct HsummaWidths {
  std::int64_t inner = default_panel_width;
  std::int64_t outer = 4 * default_panel_width;
};

/// The number of outer panels with which groups are measured.
inline constexpr std::int64_t sampled_outer_panels = 3;

/// C ← α·op(A)·op(B) + β·C by HSUMMA (Quintin et al. 2013, §III, algorithm 1) on a process grid,
/// ready to run many times. The grid's ranks form I×J groups. The owners of an outer panel of op(A)
/// broadcast it along the process rows to the ranks of equal position in the other groups; outer
/// panels of op(B) travel along the process columns. Each group then multiplies it by SUMMA, inner
/// panel by inner panel. The next outer panel travels between groups while panels of this one
/// travel inside them, and these while the previous panel is multiplied.
///
/// With one group HSUMMA is SUMMA with inner panels; with one rank per group it is SUMMA with outer
/// panels. In both cases SUMMA runs.
template <MatrixElement T>
class HsummaMultiplication : public Multiplication<T> {
 public:
  /// Collective over `communicator`, that of the matrices, including ranks outside the grid. If C
  /// is not on the grid, the product is computed in blocks on the grid and redistributed. Operands
  /// that do not fit (see choose_delivery) are redistributed. Throws Error(invalid_argument) if the
  /// grid has more ranks than there are, the groups do not divide it, or the widths are not 1 <=
  /// inner <= outer; Error(out_of_memory) on every rank if a rank lacks memory.
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

/// HSUMMA with measured groups (Quintin et al. 2013, §V-A): for each arrangement of the grid in
/// groups, the first run() multiplies random matrices of a few outer panels, and it keeps the
/// fastest. Meanwhile it needs memory for those panels and a second C.
template <MatrixElement T>
class SampledHsummaMultiplication : public Multiplication<T> {
 public:
  /// Arguments and errors as HsummaMultiplication's.
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
