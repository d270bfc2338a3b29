#pragma once

#include <cuboid/communicator.hpp>

#include "collectives/algorithms/group_cost_model.hpp"

namespace cuboid::detail::tools {

/// The part of the cores' time that messages would take which fill all links between the nodes in
/// both directions, where ranks share cores, as those of emulated nodes do. From 1 on the cores are
/// slower than the network. 0 where each rank has a core, or the links' rates are unknown. Pure.
double core_share_of_network(const GroupCostModel& cost_model);

/// Has rank 0 warn, with what to do, where cores and not the network would be measured: where
/// core_share_of_network() leaves no room for anything else.
void warn_where_cores_decide(const Communicator& world);

}  // namespace cuboid::detail::tools
