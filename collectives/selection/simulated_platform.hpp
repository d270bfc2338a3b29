#pragma once

#include "collectives/evaluation/group_cost_model.hpp"
#include "models/simulator/simulator.hpp"

namespace cuboid::detail {

/// The platform on which the simulator runs a group's schedules: the cables, the nodes of the
/// ranks, the costs of messages, and the rate of memory for copies of `bytes` bytes. If nothing is
/// known of the network, it is a switch.
Platform platform_of(const GroupCostModel& cost_model, double bytes = 0);

}  // namespace cuboid::detail
