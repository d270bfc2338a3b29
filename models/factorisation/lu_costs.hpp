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
  double multiplications_per_second = 1e10;  ///< of a core's gemm
  std::size_t element_bytes = 8;
  double ranks_per_core = 1;
  /// Of a core, before each collective: every step's are of lengths of their own, so they are
  /// compiled anew.
  double seconds_per_collective = 0;
  /// Of a core, for each byte that each of its ranks sends, the receiving end included.
  double core_seconds_per_byte = 0;
  double burst_bytes = 0;  ///< that a link which was idle lets through at once
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
  double collectives = 0;  ///< to compile and start them
  /// Beyond these: cores that ranks share, or the busiest links, have more to do than the critical
  /// path takes.
  double crowding = 0;

  double total() const {
    return panel + multicast + rows + update + interchange + collectives + crowding;
  }
};

/// Summed over the very schedule. Pivots are taken to be anywhere among the rows that are left, as
/// those of a random matrix are.
LuCommunication lu_communication(const LuSchedule& schedule, LuPivotCost pivots,
                                 std::size_t element_bytes);

/// A step's panel is factorised while the update of the step before runs, on other grid columns; a
/// rank's turn comes every so many-th step. So a step takes as long as its panel, its multicast and
/// its rows one after the other, or as its update and a share of the panel, whichever is longer.
/// All steps together take no less than the cores need for what their ranks do, which goes on while
/// others wait, and than the links of the busiest dimension of the grid need for what they carry.
LuSecondsEstimate lu_seconds(const LuSchedule& schedule, LuPivotCost pivots, const LuRates& rates);

/// Words of memory of the busiest rank: its part of a copy, and panels.
double lu_memory(const LuSchedule& schedule);

}  // namespace cuboid::detail
