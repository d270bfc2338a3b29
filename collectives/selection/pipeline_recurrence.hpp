#pragma once

#include "collectives/evaluation/group_cost_model.hpp"
#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/segmentation.hpp"

namespace cuboid::detail {

/// Whether every edge is a cable, and none carries two trees the same way.
bool have_cables_of_their_own(const Forest& forest, const Shape& shape);

/// What such a forest takes, by recurrence (tree_pipeline_seconds()); of many segments only the
/// first are followed.
double recurrence_seconds(const Forest& forest, const Pipelining& pipelining,
                          const GroupCostModel& cost_model);

}  // namespace cuboid::detail
