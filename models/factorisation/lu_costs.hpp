#pragma once

#include "models/factorisation/panel_schedule.hpp"
#include "models/multiplication/product_extents.hpp"

#include <cstddef>

namespace cuboid::detail {

/// How LU chooses its pivots, as far as it matters for the cost.
enum class LuPivotCost {
  none,
  tournament,  ///< candidate rows of a block meet in ⌈log2⌉ steps
  partial,     ///< a row of a block per column, in ⌈log2⌉ steps
};

/// The words that a rank sends in one LU factorisation, the mean over the grid, and the messages
/// that the critical path waits for one after the other, by the steps of PanelSchedule.
struct LuCommunication {
  CommunicationCost panel;        ///< A: panels summed over the layers, factorised, dealt to them
  CommunicationCost multicast;    ///< B: L along rows, U along columns
  CommunicationCost rows;         ///< C: rows summed, exchanged, dealt to the layers
  CommunicationCost interchange;  ///< L's rows brought in order at the end

  CommunicationCost total() const;
};

/// The communication of a schedule, summed over its steps. Pivots are assumed to be anywhere among
/// the remaining rows, as in a random matrix.
LuCommunication lu_communication(const PanelSchedule& schedule, LuPivotCost pivots,
                                 std::size_t element_bytes);

/// Words of memory of the busiest rank: its part of a layer's copy, its share of the matrix if
/// there are several layers, panels, and what local kernels pack of them.
double lu_memory(const PanelSchedule& schedule);

}  // namespace cuboid::detail
