#pragma once

#include "collectives/prices/group_cost_model.hpp"
#include "models/simulator/simulator.hpp"

namespace cuboid::detail {

/// What the simulator is told of a group: its cables, where its ranks are, and what messages cost.
Platform platform_of(const GroupCostModel& cost_model);

}  // namespace cuboid::detail
