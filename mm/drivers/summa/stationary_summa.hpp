#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>

#include "mm/decompositions/panels.hpp"
#include "mm/decompositions/required_layouts.hpp"
#include "mm/drivers/multiplication_driver.hpp"
#include "mm/drivers/summa/gathered_panels.hpp"
#include "mm/drivers/summa/summa.hpp"
#include "mm/drivers/summa/summed_panels.hpp"
#include "mm/matrix/process_grid.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// C ← α·op(A)·op(B) + β·C by SUMMA with op(A) stationary (van de Geijn, Watts 1997, forms A·Bᵀ and
/// Aᵀ·B), ready to run many times. op(A) stays where it is, on a P×Q grid; op(B) is distributed so
/// that a process column stores the inner indices of its parts of op(A). In each step every process
/// column gathers a panel of op(B)'s columns, every rank multiplies its part of op(A) with the
/// panel, and every process row sums the products: each rank receives the sums of its own part of
/// C. While a panel is multiplied, the next panel travels and the last products are summed. With
/// op(B) stationary, the algorithm computes Cᵀ = op(B)ᵀ·op(A)ᵀ in the same way on the transposed
/// grid: panels are rows of op(A) and C.
///
///            gathered along columns
///                 │ panel of B
///              ┌──▼──┐
///     A_ij ──► │ gemm│ ──► products, summed along rows ──► panel of C
///              └─────┘
///
/// A rank receives k/Q·n·(1 − 1/P) words of B and m/P·n·(1 − 1/Q) of C. Both are small where n is
/// small beside m and k; A, the largest matrix, does not move.
///
/// Working memory per rank: two panels of the operand that moves and two of C, except for panels
/// that stay where they are; with B stationary a third panel of C.
template <MatrixElement T>
class StationarySummaMultiplication : public MultiplicationDriver<T> {
 public:
  /// Collective over `communicator`, that of the matrices.
  /// @param panel_width  width of C's panels, >= 1; a panel may exceed it by one index per rank of
  /// a row and a column.
  /// Throws Error(invalid_argument) if the grid needs more ranks than there are,
  /// Error(out_of_memory) on every rank if a rank lacks memory.
  StationarySummaMultiplication(const Communicator& communicator, const GridShape& grid,
                                const ProductLayouts& product, StationaryOperand stays,
                                std::int64_t panel_width = default_panel_width);

 private:
  void multiply(const DriverInput<T>& input, const LocalGemm& gemm, PhaseSeconds& seconds) override;
  void multiply_panel(std::int64_t step, const Panel<T>& moving, const DriverInput<T>& input,
                      const LocalGemm& gemm);
  void make_panels(const RequiredLayouts& wanted, std::int64_t panel_width);

  ProcessGrid grid_;
  StationaryOperand stays_;
  std::int64_t depth_ = 0;  // number of inner indices of this rank's part
  std::int64_t steps_ = 0;
  std::optional<GatheredPanels<T>> moving_;  // empty on ranks outside the grid
  std::optional<SummedPanels<T>> products_;
};

}  // namespace cuboid::detail
