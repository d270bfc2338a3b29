#pragma once

#include "collectives/algorithms/algorithm.hpp"

#include <optional>

namespace cuboid::detail {

/// An algorithm simulated on any group of one rank per node, up to hundreds of thousands where its
/// trees are spread over cables of their own (tree_pipeline_seconds()), else up to some thousands.
/// Blocks are equal. nullopt if it would take minutes. Pure; up to some seconds.
std::optional<double> simulated_seconds(const Call& call, const Algorithm& algorithm,
                                        const Settings& settings);

}  // namespace cuboid::detail
