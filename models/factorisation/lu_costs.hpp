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

/// What LU computes and communicates with.
struct LuRates {
  Hockney network;                           ///< of a link
  double line_links = 1;                     ///< that a rank sends over at once along a line
  double multiplications_per_second = 1e10;  ///< of a rank's gemm
  std::size_t element_bytes = 8;
  /// Of its core, before each collective: every step's are of lengths of their own, so they are
  /// planned anew. Ranks that share a core do so one after the other.
  double seconds_per_collective = 0;
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

  double total() const { return panel + multicast + rows + update + interchange + collectives; }
};

/// Summed over the very schedule. Pivots are taken to be anywhere among the rows that are left, as
/// those of a random matrix are.
LuCommunication lu_communication(const LuSchedule& schedule, LuPivotCost pivots,
                                 std::size_t element_bytes);

/// A step's panel is factorised while the update of the step before runs, on other grid columns; a
/// rank's turn comes every so many-th step. So a step takes as long as its panel, its multicast and
/// its rows one after the other, or as its update and a share of the panel, whichever is longer.
LuSecondsEstimate lu_seconds(const LuSchedule& schedule, LuPivotCost pivots, const LuRates& rates);

/// Words of memory of the busiest rank: its part of a copy, and panels.
double lu_memory(const LuSchedule& schedule);

}  // namespace cuboid::detail
