#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply_options.hpp>

#include "mm/drivers/multiplication_driver.hpp"
#include "mm/drivers/summa/grouped_feed.hpp"
#include "mm/drivers/summa/summa.hpp"
#include "mm/matrix/process_grid.hpp"

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

/// The number of outer panels that each measurement of groups multiplies.
inline constexpr std::int64_t sampled_outer_panels = 3;

/// C ← α·op(A)·op(B) + β·C by HSUMMA (Quintin et al. 2013, §III, algorithm 1) on a process grid,
/// ready to run many times. The grid's ranks form I×J groups. The owners of an outer panel of op(A)
/// broadcast it along the process rows to the ranks of equal position in the other groups; outer
/// panels of op(B) travel along the process columns. Each group then multiplies it by SUMMA, inner
/// panel by inner panel. The next outer panel travels between groups while panels of the current
/// one travel inside the groups, and the next panel inside a group travels while the current one is
/// multiplied.
///
/// With one group, or one rank per group, HSUMMA is SUMMA, and make_hsumma() returns SUMMA.
template <MatrixElement T>
class HsummaMultiplication : public MultiplicationDriver<T> {
 public:
  /// Parameters as make_hsumma(). There must be several groups of several ranks each.
  HsummaMultiplication(const Communicator& communicator, const GridShape& grid,
                       const GroupShape& groups, const ProductLayouts& product,
                       const HsummaWidths& widths, PanelOrder order);

 private:
  void multiply(const DriverInput<T>& input, const LocalGemm& gemm, PhaseSeconds& seconds) override;

  ProcessGrid grid_;
  std::vector<PanelRanges> panels_;
  std::vector<PanelSpan> outers_;
  std::optional<GroupedFeed<T>> a_, b_;  // empty on ranks outside the grid
};

/// HSUMMA; with one group SUMMA with inner panels, with one rank per group SUMMA with outer panels.
/// Collective over `communicator`, that of the matrices, including ranks outside the grid. If C is
/// not on the grid, the product is computed in blocks on the grid and redistributed. Operands that
/// do not fit (see choose_delivery) are redistributed. Throws Error(invalid_argument) if the grid
/// has more ranks than there are, the groups do not divide it, or the widths are not 1 <= inner <=
/// outer; Error(out_of_memory) on every rank if a rank lacks memory.
template <MatrixElement T>
std::unique_ptr<Multiplication<T>> make_hsumma(const Communicator& communicator,
                                               const GridShape& grid, const GroupShape& groups,
                                               const ProductLayouts& product,
                                               const HsummaWidths& widths = {},
                                               PanelOrder order = PanelOrder::in_turn);

/// HSUMMA with measured groups (Quintin et al. 2013, §V-A). The first run() measures each
/// arrangement of the grid in groups with random matrices of a few outer panels, and keeps the
/// fastest. During these measurements it needs memory for the random panels and a second C.
template <MatrixElement T>
class SampledHsummaMultiplication : public Multiplication<T> {
 public:
  /// Arguments and errors as in make_hsumma().
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
  std::unique_ptr<Multiplication<T>> multiplication_;
};

}  // namespace cuboid::detail
