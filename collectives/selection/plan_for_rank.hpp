#pragma once

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/evaluation/group_cost_model.hpp"
#include "collectives/schedules/planned_collective.hpp"
#include "collectives/types/collective.hpp"

namespace cuboid::detail {

/// Says if plan_for_rank() first proves that the parts of all ranks together do what the collective
/// has to do. The proof takes time and memory for all ranks.
enum class Proof { none, of_all_ranks };

/// Builds one rank's part of a collective with the chosen algorithm. Pure. Throws Error(internal)
/// if the proof fails.
PlannedCollective plan_for_rank(const Collective& collective, const GroupCostModel& cost_model,
                                int rank, const Choice& choice, Proof proof = Proof::none);

}  // namespace cuboid::detail
