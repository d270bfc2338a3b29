#pragma once

#include "models/factorisation/lu_costs.hpp"

namespace cuboid::detail {

/// The extents of one step, over all ranks.
struct LuStepSizes {
  double width;  ///< w
  double left;   ///< rows that are left, with those of the step
  double below;  ///< rows that are left, without those of the step
  double right;  ///< columns right of the panel
  /// Rows that come to the diagonal block: all of them, those from other ranks of the panel, and
  /// those from other grid rows.
  double exchanged = 0, from_other_pieces = 0, from_other_rows = 0;

  LuStepSizes(const PanelSchedule& schedule, const PanelStep& step, LuPivotCost pivots);
};

/// An all-reduce in rank order by recursive doubling: the messages of all ranks, and the steps one
/// after the other.
double messages_in_rank_order(double members);
double steps_in_rank_order(double members);

/// The words that all ranks send in a step.
struct LuStepWords {
  double panel, multicast, rows, interchange;

  double total() const { return panel + multicast + rows + interchange; }
};

LuStepWords words_of_step(const PanelSchedule& schedule, const LuStepSizes& size,
                          LuPivotCost pivots, std::size_t element_bytes);

}  // namespace cuboid::detail
