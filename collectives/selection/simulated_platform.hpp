#pragma once

#include "collectives/algorithms/group_cost_model.hpp"
#include "models/simulator/simulator.hpp"

namespace cuboid::detail {

/// Messages between two nodes, as the simulator counts them.
LogGP between_nodes_of(const GroupCostModel& cost_model);

/// What the simulator is told of a group: its cables, where its ranks are, and what messages cost.
Platform platform_of(const GroupCostModel& cost_model);

}  // namespace cuboid::detail
