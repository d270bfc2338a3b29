#pragma once

#include "collectives/algorithms/algorithm.hpp"

#include <optional>

namespace cuboid::detail {

/// What trees take by the simulator, which knows which messages meet on which cables, and the
/// cores' work for them, in one of many calls: where links catch up, the first would be quicker or
/// slower, as they have rested. Pipelines of more than `most_transfers` messages are simulated in
/// part, as each further segment takes what the one before took. The network's shape or cables must
/// be known. Pure.
double simulated_seconds(const Forest& forest, const Pipelining& pipelining,
                         const GroupCostModel& cost_model, double most_transfers);
/// The same of rounds, every message of them.
double simulated_seconds(const Rounds& rounds, const Conditions& conditions,
                         const Pipelining& pipelining, const GroupCostModel& cost_model);

/// An algorithm simulated on any group of one rank per node, up to hundreds of thousands where its
/// trees are spread over cables of their own (tree_pipeline_seconds()), else up to some thousands.
/// Blocks are equal. nullopt if it would take minutes. Pure; up to some seconds.
std::optional<double> simulated_seconds(const Call& call, const Algorithm& algorithm,
                                        const Settings& settings);

}  // namespace cuboid::detail
