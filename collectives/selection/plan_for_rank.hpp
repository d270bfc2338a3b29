#pragma once

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/algorithms/group_cost_model.hpp"
#include "collectives/schedules/planned_collective.hpp"
#include "collectives/types/collective.hpp"

namespace cuboid::detail {

/// Builds one rank's part of a collective with the chosen algorithm, after proving its forest or
/// rounds. Pure.
PlannedCollective plan_for_rank(const Collective& collective, const GroupCostModel& cost_model,
                                int rank, const Choice& choice);

}  // namespace cuboid::detail
