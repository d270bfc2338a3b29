#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>

#include "mm/decompositions/delivery.hpp"
#include "mm/decompositions/panels.hpp"
#include "mm/drivers/multiplication_driver.hpp"
#include "mm/drivers/summa/panel_feed.hpp"
#include "mm/matrix/process_grid.hpp"
#include "models/multiplication/lower_cover.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// SUMMA's default panel width. The local gemm runs as fast as with wider panels (measured with
/// BLIS on AVX-512), while the buffers stay small, and so does the first broadcast, which overlaps
/// with no computation.
inline constexpr std::int64_t default_panel_width = 256;
/// The same on devices, where C is read and written for each panel: an H200 multiplies panels of
/// 8192×8192×k in double at 43, 49 and 54 TFLOP/s for k = 256, 512 and 1024.
inline constexpr std::int64_t device_panel_width = 1024;

/// The way in which one operand reaches the ranks.
struct OperandDelivery {
  Layout layout;  ///< the layout of the tall operand
  PanelTarget target;
  Delivery delivery;

  OperandDelivery(const Layout& tall, PanelTarget where, std::int64_t panel_width)
      : layout(tall), target(where), delivery(choose_delivery(tall, where, panel_width)) {}
};

/// C ← α·op(A)·op(B) + β·C by SUMMA (van de Geijn, Watts: "SUMMA: scalable universal matrix
/// multiplication algorithm", 1997) on a process grid, ready to run many times. In each step the
/// owners of a panel of op(A) broadcast it along the process rows, the owners of a panel of op(B)
/// along the process columns, and every rank adds the product of the panels to its part of C. The
/// next step's broadcasts overlap with the product: the gemm is cut into strips of C, and messages
/// progress between the strips.
///
/// Ranks outside the grid take part to provide their parts of A and B. If a layout fits (the rows
/// of op(A) are distributed like C's rows, the columns of op(B) like C's columns, on the same
/// grid), panels are sent in place, or with PanelOrder::all_owners assembled from all ranks of the
/// line. Otherwise each panel is redistributed first. If C is not on the grid, the product is
/// computed in blocks on the grid and redistributed.
///
/// Working memory per rank: two panels of op(A) and of op(B) (local rows or columns of C ×
/// panel_width each), three with PanelOrder::all_owners; for an operand whose line of the grid is a
/// single rank none, or one with PanelOrder::all_owners; plus the messages of panels that are
/// redistributed.
template <MatrixElement T>
class SummaMultiplication : public MultiplicationDriver<T> {
 public:
  /// Collective over `communicator`, that of the matrices.
  /// @param panel_width  >= 1; panels end at block ends if blocks are long enough (see cut_panels).
  /// Throws Error(invalid_argument) if the grid needs more ranks than there are,
  /// Error(out_of_memory) on every rank if a rank lacks memory.
  SummaMultiplication(const Communicator& communicator, const GridShape& grid,
                      const ProductLayouts& product, std::int64_t panel_width = default_panel_width,
                      PanelOrder order = PanelOrder::in_turn);

  /// Restricts the product to some rectangles of this rank's part of C, which must be on the grid
  /// in a layout that the driver takes in place. The rest of C is neither read nor written.
  void compute_only(std::vector<LocalRectangle> parts) { parts_ = std::move(parts); }

 private:
  bool make_panels_at(const PanelPlace& place) override;
  void multiply(const DriverInput<T>& input, const LocalGemm& gemm, PhaseSeconds& seconds) override;
  /// Multiplies step by step while the next panels arrive.
  void multiply_panels(const DriverInput<T>& input, const LocalGemm& gemm, PhaseSeconds& seconds);

  ProcessGrid grid_;
  std::vector<PanelRanges> panels_;
  int ahead_;
  std::optional<OperandDelivery> delivery_a_, delivery_b_;  // unset if k is 0
  std::unique_ptr<PanelFeed<T>> a_, b_;
  std::optional<std::vector<LocalRectangle>> parts_;  // unset: all of C
};

}  // namespace cuboid::detail
