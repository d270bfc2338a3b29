#pragma once

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/evaluation/group_cost_model.hpp"
#include "collectives/schedules/planned_collective.hpp"
#include "collectives/types/collective.hpp"

namespace cuboid::detail {

/// Whether a plan proves first that what all ranks do together does what it has to. That takes time
/// and memory for all of them.
enum class Proof { none, of_all_ranks };

/// Builds one rank's part of a collective with the chosen algorithm. Pure. Where the proof fails,
/// throws Error(internal).
PlannedCollective plan_for_rank(const Collective& collective, const GroupCostModel& cost_model,
                                int rank, const Choice& choice, Proof proof = Proof::none);

}  // namespace cuboid::detail
