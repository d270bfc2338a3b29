#pragma once

#include "models/factorisation/lu_costs.hpp"

namespace cuboid::detail {

/// One step's extents as numbers, over all ranks.
struct LuStepSizes {
  double width;  ///< w
  double left;   ///< rows that are left, the step's included
  double below;  ///< without them
  double right;  ///< columns right of the panel
  /// Rows that come to the diagonal block: at all, from other ranks of the panel, and from other
  /// grid rows.
  double exchanged = 0, from_other_pieces = 0, from_other_rows = 0;

  LuStepSizes(const LuSchedule& schedule, const LuStep& step, LuPivotCost pivots);
};

/// An all-reduce in rank order goes by recursive doubling: messages of all ranks, and how many one
/// after the other.
double messages_in_rank_order(double members);
double steps_in_rank_order(double members);

/// What all ranks send in a step, in words.
struct LuStepWords {
  double panel, multicast, rows, interchange;

  double total() const { return panel + multicast + rows + interchange; }
};

LuStepWords words_of_step(const LuSchedule& schedule, const LuStepSizes& size, LuPivotCost pivots,
                          std::size_t element_bytes);

}  // namespace cuboid::detail
