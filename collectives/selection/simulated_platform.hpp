#pragma once

#include "collectives/evaluation/group_cost_model.hpp"
#include "models/simulator/simulator.hpp"

namespace cuboid::detail {

/// What the simulator is told of a group: its cables, where its ranks are, what messages cost, and
/// what memory can deliver to copies of so many bytes. Of a network of which nothing is known, that
/// it is a switch.
Platform platform_of(const GroupCostModel& cost_model, double bytes = 0);

}  // namespace cuboid::detail
