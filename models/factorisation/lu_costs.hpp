#pragma once

#include "models/factorisation/lu_schedule.hpp"
#include "models/messages/hockney.hpp"
#include "models/multiplication/product_extents.hpp"

#include <cstddef>

namespace cuboid::detail {

/// What LU chooses its pivots by, as far as it costs.
enum class LuPivotCost {
  none,
  tournament,  ///< a block's rows meet ⌈log2⌉ times
  partial,     ///< a row of a block per column, ⌈log2⌉ times
};

/// Links that a rank sends over at once along a line of the grid.
struct LuLinks {
  double rows = 1;     ///< along a grid row
  double columns = 1;  ///< along a grid column
  double layers = 1;
};

/// What LU computes and communicates with.
struct LuRates {
  Hockney network;  ///< of a link
  LuLinks links = {};
  double burst_bytes = 0;                    ///< that a link lets through at once when it was idle
  double multiplications_per_second = 1e10;  ///< of a core's gemm
  double ranks_per_core = 1;                 ///< at least 1
  std::size_t element_bytes = 8;
  /// Of a core, for each collective of a rank: every step's are of lengths of their own, so they
  /// are planned anew.
  double seconds_per_collective = 0;
  double core_seconds_per_byte = 0;  ///< that a rank sends
};

/// Words that a rank sends in one LU factorisation, the mean over the grid, and messages that the
/// critical path waits for one after the other, by the steps of LuSchedule.
struct LuCommunication {
  CommunicationCost panel;        ///< A: panels summed over the layers, factorised, dealt to them
  CommunicationCost multicast;    ///< B: L along rows, U along columns
  CommunicationCost rows;         ///< C: rows summed, exchanged, dealt to the layers
  CommunicationCost interchange;  ///< L's rows brought in order at the end

  CommunicationCost total() const;
};

/// Where its time goes, in seconds of the critical path.
struct LuSecondsEstimate {
  double panel = 0;
  double multicast = 0;  ///< what no update hides
  double rows = 0;
  double update = 0;
  double interchange = 0;
  double collectives = 0;  ///< to plan and start them
  double cores = 0;        ///< that the work of all ranks takes their cores longer than all this

  double total() const {
    return panel + multicast + rows + update + interchange + collectives + cores;
  }
};

/// Summed over the very schedule. Pivots are taken to be anywhere among the rows that are left, as
/// those of a random matrix are.
LuCommunication lu_communication(const LuSchedule& schedule, LuPivotCost pivots,
                                 std::size_t element_bytes);

/// A step's rows are exchanged and solved for. Then the next panel is factorised and travels along
/// grid rows, while U travels along grid columns and the update runs on the others; a rank's turn
/// with the panel comes every so many-th step. Where ranks share cores, it takes at least as long
/// as these need for all that the ranks compute and send.
LuSecondsEstimate lu_seconds(const LuSchedule& schedule, LuPivotCost pivots, const LuRates& rates);

/// Words of memory of the busiest rank: its part of a copy, its share of the matrix where there are
/// layers, and panels.
double lu_memory(const LuSchedule& schedule);

}  // namespace cuboid::detail
