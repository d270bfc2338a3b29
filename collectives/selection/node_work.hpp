#pragma once

#include "collectives/evaluation/call.hpp"
#include "collectives/schedules/board_plan.hpp"
#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/rounds.hpp"
#include "collectives/schedules/segmentation.hpp"

namespace cuboid::detail {

/// Predicts, by node_seconds(), the seconds of a schedule on one node whose ranks share cores: the
/// waits of one rank for another, the work of the busiest rank, and the work of all ranks spread
/// over the cores.
double seconds_on_shared_cores(const Call& call, const Forest& forest, std::size_t segment_bytes);
double seconds_on_shared_cores(const Call& call, const Rounds& rounds, const Conditions& conditions,
                               const Pipelining& pipelining);

/// Predicts the seconds of a plan for a board: counts the copies, combinations and waits of its
/// schedules for node_seconds(). Each flag that a rank reads is a cache line from another core.
double board_seconds(const BoardPlan& plan, const Conditions& conditions,
                     const Pipelining& pipelining, const Call& call);

}  // namespace cuboid::detail
