#pragma once

#include "collectives/evaluation/call.hpp"
#include "collectives/schedules/board_plan.hpp"
#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/segmentation.hpp"

namespace cuboid::detail {

/// What a plan for a board takes: what its schedules copy, combine and wait for, counted, in the
/// node's memory (node_seconds()). Each flag that a rank looks at is a cache line from another
/// core.
double board_seconds(const BoardPlan& plan, const Conditions& conditions,
                     const Pipelining& pipelining, const Call& call);

}  // namespace cuboid::detail
