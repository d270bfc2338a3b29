#pragma once

#include "collectives/evaluation/group_cost_model.hpp"
#include "models/simulator/simulator.hpp"

namespace cuboid::detail {

/// The platform on which the simulator runs a group's schedules: its cables, the nodes of its
/// ranks, the costs of messages, and what memory can deliver to copies of `bytes`. A network of
/// which nothing is known is a switch.
Platform platform_of(const GroupCostModel& cost_model, double bytes = 0);

}  // namespace cuboid::detail
