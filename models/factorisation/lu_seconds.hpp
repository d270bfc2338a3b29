#pragma once

#include "models/factorisation/lu_costs.hpp"
#include "models/messages/hockney.hpp"
#include "models/messages/usual_parameters.hpp"

#include <cstddef>

namespace cuboid::detail {

/// The number of links over which a rank sends at once along a line of the grid. Less than one if
/// other lines share a link.
struct LuLinks {
  double rows = 1;     ///< along a grid row
  double columns = 1;  ///< along a grid column
  double layers = 1;
};

/// The rates of LU's computing and communicating.
struct LuRates {
  Hockney network;  ///< a message over a link
  LuLinks links = {};
  double burst_bytes = 0;  ///< burst credit that a link earns while it is idle
  /// The rate of a core's gemm.
  double multiplications_per_second = usual_core.multiplications_per_second;
  double seconds_per_byte_moved = 0;  ///< seconds of a core per byte that is packed, copied or
                                      ///< swapped in memory
  double ranks_per_core = 1;          ///< at least 1
  std::size_t element_bytes = 8;
  /// Seconds of a core for each collective of a rank. Every step has other lengths, so its
  /// collectives are planned anew.
  double seconds_per_collective = 0;
  double seconds_per_tree_step = 0;  ///< seconds of a core for each of a collective's ⌈log2⌉ steps
  double core_seconds_per_byte = 0;  ///< core seconds per byte that a rank sends
  /// Share of the time in which links could carry while cores work in which they do.
  double overlap = 1;
};

/// The predicted seconds of the critical path, by part.
struct LuSecondsEstimate {
  double panel = 0;
  double multicast = 0;  ///< without what overlaps with the update
  double rows = 0;
  double update = 0;
  double interchange = 0;
  double collectives = 0;  ///< to plan and start them
  double cores = 0;  ///< additional time, if the cores need longer for the work of all their ranks

  double total() const {
    return panel + multicast + rows + update + interchange + collectives + cores;
  }
};

/// Predicts the seconds of LU step by step. A step's rows are exchanged and solved for. Then the
/// next panel is factorised and travels along grid rows, while U travels along grid columns and the
/// ranks that do not have the panel update. Each grid column has the panel once per round of all
/// columns. Links earn burst credit from step to step. The cores do what all ranks compute, plan
/// and send: the longer of both times decides, plus what does not overlap of the shorter one.
LuSecondsEstimate lu_seconds(const PanelSchedule& schedule, LuPivotCost pivots,
                             const LuRates& rates);

}  // namespace cuboid::detail
