#pragma once

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/algorithms/group_cost_model.hpp"
#include "collectives/selection/algorithm_rules.hpp"
#include "collectives/types/collective.hpp"

#include <string>
#include <vector>

namespace cuboid::detail {

/// Every algorithm that can serve a call, with its best settings and predicted seconds, the
/// cheapest first. Pure; the same on every rank, as it depends on nothing that differs between
/// them.
std::vector<Choice> choices(const Collective& collective, const GroupCostModel& cost_model);

/// The algorithm that a rule demands for the call; where none does, the cheapest (of those within a
/// few percent of it, the first in the table). Where the one demanded cannot serve the call (not in
/// a group of this shape, not with this reduction): throws Error(unsupported) naming those that can
/// where the rules are strict; else the cheapest, and Choice::instead_of says so.
Choice select(const Collective& collective, const GroupCostModel& cost_model,
              const AlgorithmRules& rules = {});

/// For people: "rectangular, 4 colours, segments of 32768 bytes".
std::string describe(const Choice& choice);

}  // namespace cuboid::detail
