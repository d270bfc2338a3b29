#pragma once

#include "collectives/evaluation/group_cost_model.hpp"
#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/segmentation.hpp"

namespace cuboid::detail {

/// True if every edge is a cable, and no cable carries two trees in the same direction.
bool have_cables_of_their_own(const Forest& forest, const Shape& shape);

/// Predicts the seconds of such a forest by recurrence (tree_pipeline_seconds()). If there are many
/// segments, only the first are followed.
double recurrence_seconds(const Forest& forest, const Pipelining& pipelining,
                          const GroupCostModel& cost_model);

}  // namespace cuboid::detail
