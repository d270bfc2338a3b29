#pragma once

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/evaluation/group_cost_model.hpp"
#include "collectives/selection/algorithm_rules.hpp"
#include "collectives/types/collective.hpp"

#include <string>
#include <vector>

namespace cuboid::detail {

/// All algorithms that can serve a call, with their best settings and predicted times, the fastest
/// first. Pure; the same on every rank, because it depends on nothing that differs between ranks.
std::vector<Choice> choices(const Collective& collective, const GroupCostModel& cost_model);

/// Chooses the algorithm of a call: the algorithm that a rule requests. Without a rule, the
/// fastest; among algorithms within about a percent of it, the first in the table. The requested
/// algorithm may be unable to serve the call, because of the group's shape or the reduction. Then,
/// with strict rules, throws Error(unsupported) that names the algorithms that can. Otherwise
/// returns the fastest, and Choice::demanded names the requested one.
Choice select(const Collective& collective, const GroupCostModel& cost_model,
              const AlgorithmRules& rules = {});

/// The choice as text: "rectangular, 4 colours, segments of 32768 bytes".
std::string describe(const Choice& choice);

}  // namespace cuboid::detail
