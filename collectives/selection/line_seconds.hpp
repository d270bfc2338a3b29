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

/// Seconds in which every rank of a line broadcasts so many bytes to the others, all at once and by
/// one algorithm, as simulated over the links of the line alone; nullopt if the algorithm does not
/// serve the line, or makes no trees.
/// @param cost_model  of a group on the same network.
std::optional<double> line_broadcast_seconds(const Algorithm& algorithm,
                                             const GroupCostModel& cost_model,
                                             const LineOfNodes& line, std::size_t bytes);

}  // namespace cuboid::detail
