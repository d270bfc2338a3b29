#pragma once

#include <cuboid/shape.hpp>

#include "collectives/algorithms/algorithm.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// Simulated seconds of an algorithm on a group of one rank per node, up to some thousands of
/// ranks. Blocks are equal. nullopt if the simulation would take minutes. Pure; takes up to some
/// seconds.
std::optional<double> simulated_seconds(const Call& call, const Algorithm& algorithm,
                                        const Settings& settings);

/// The ranks along a line of a process grid, one per node: the box that their nodes fill, and for
/// each place on the line the number of its node in the box.
struct LineOfNodes {
  Shape box;
  std::vector<int> nodes;
};

/// Simulates an operation of a line's ranks by one algorithm, over the links of the line alone.
/// nullopt if the algorithm does not serve the line, or cannot be simulated.
/// @param bytes       the bytes of the message, all blocks together
/// @param cost_model  the cost model of a group on the same network
std::optional<double> line_seconds(Operation operation, std::size_t bytes,
                                   const Algorithm& algorithm, const GroupCostModel& cost_model,
                                   const LineOfNodes& line);

}  // namespace cuboid::detail
