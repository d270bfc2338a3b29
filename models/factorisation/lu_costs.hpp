#pragma once

#include "models/factorisation/lu_schedule.hpp"
#include "models/multiplication/product_extents.hpp"

#include <cstddef>

namespace cuboid::detail {

/// What LU chooses its pivots by, as far as it costs.
enum class LuPivotCost {
  none,
  tournament,  ///< a block's rows meet ⌈log2⌉ times
  partial,     ///< a row of a block per column, ⌈log2⌉ times
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

/// Summed over the very schedule. Pivots are taken to be anywhere among the rows that are left, as
/// those of a random matrix are.
LuCommunication lu_communication(const LuSchedule& schedule, LuPivotCost pivots,
                                 std::size_t element_bytes);

/// Words of memory of the busiest rank: its part of a copy, its share of the matrix where there are
/// layers, panels, and what local kernels pack of them.
double lu_memory(const LuSchedule& schedule);

}  // namespace cuboid::detail
