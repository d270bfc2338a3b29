#pragma once

#include <cuboid/communicator.hpp>

#include "collectives/evaluation/group_cost_model.hpp"

namespace cuboid::detail::tools {

/// The share of the cores' time that messages need when they fill all links between the nodes in
/// both directions. It matters where ranks share cores, as ranks of emulated nodes do. From 1 on,
/// the cores are slower than the network. 0 if each rank has its own core or the links' rates are
/// unknown. Pure.
double core_share_of_network(const GroupCostModel& cost_model);

/// Makes rank 0 warn, with a remedy, if a measurement would show the cores' limit instead of the
/// network's: if core_share_of_network() leaves no core time for anything else.
void warn_where_cores_decide(const Communicator& world);

}  // namespace cuboid::detail::tools
