#pragma once

#include "models/factorisation/lu_costs.hpp"
#include "models/messages/hockney.hpp"
#include "models/messages/usual_parameters.hpp"

#include <cstddef>

namespace cuboid::detail {

/// Links that a rank sends over at once along a line of the grid; less than one where others' lines
/// share a link.
struct LuLinks {
  double rows = 1;     ///< along a grid row
  double columns = 1;  ///< along a grid column
  double layers = 1;
};

/// What LU computes and communicates with.
struct LuRates {
  Hockney network;  ///< of a link
  LuLinks links = {};
  double burst_bytes = 0;  ///< that a link saves up while it rests, and lets through at once
  /// Of a core's gemm.
  double multiplications_per_second = usual_core.multiplications_per_second;
  double seconds_per_byte_moved = 0;  ///< of a core: packed, copied, swapped in memory
  double ranks_per_core = 1;          ///< at least 1
  std::size_t element_bytes = 8;
  /// Of a core, for each collective of a rank: every step's are of lengths of their own, so they
  /// are planned anew.
  double seconds_per_collective = 0;
  double seconds_per_tree_step = 0;  ///< likewise, for each of a collective's ⌈log2⌉ steps
  double core_seconds_per_byte = 0;  ///< that a rank sends
  /// Of the time in which links could carry while cores work, the share in which they do.
  double overlap = 1;
};

/// Where its time goes, in seconds of the critical path.
struct LuSecondsEstimate {
  double panel = 0;
  double multicast = 0;  ///< what no update hides
  double rows = 0;
  double update = 0;
  double interchange = 0;
  double collectives = 0;  ///< to plan and start them
  double cores = 0;        ///< that all ranks' work takes their cores longer than all this

  double total() const {
    return panel + multicast + rows + update + interchange + collectives + cores;
  }
};

/// Step by step. A step's rows are exchanged and solved for. Then the next panel is factorised and
/// travels along grid rows, while U travels along grid columns and the update runs on the others; a
/// rank's turn with the panel comes every so many-th step. Links save up bursts from step to step.
/// Meanwhile the cores do what all ranks compute, plan and send: the longer of the two decides, and
/// what of the shorter one does not overlap.
LuSecondsEstimate lu_seconds(const LuSchedule& schedule, LuPivotCost pivots, const LuRates& rates);

}  // namespace cuboid::detail
