#pragma once

#include <cuboid/shape.hpp>

#include "collectives/algorithms/algorithm.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// Ranks along a line of a process grid: the box of nodes that they fill, one on each, and by place
/// on the line the node in the box.
struct LineOfNodes {
  Shape box;
  std::vector<int> nodes;
};

/// Seconds of an operation of a line's ranks by one algorithm, as simulated over the links of the
/// line alone; nullopt if the algorithm does not serve the line, or cannot be simulated.
/// @param bytes       of the message, all blocks together.
/// @param cost_model  of a group on the same network.
std::optional<double> line_seconds(Operation operation, std::size_t bytes,
                                   const Algorithm& algorithm, const GroupCostModel& cost_model,
                                   const LineOfNodes& line);

}  // namespace cuboid::detail
