#pragma once

#include "collectives/evaluation/call.hpp"
#include "collectives/schedules/board_plan.hpp"
#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/segmentation.hpp"

namespace cuboid::detail {

/// Predicts the seconds of a plan for a board: counts the copies, combinations and waits of its
/// schedules for node_seconds(). Each flag that a rank reads is a cache line from another core.
double board_seconds(const BoardPlan& plan, const Conditions& conditions,
                     const Pipelining& pipelining, const Call& call);

}  // namespace cuboid::detail
