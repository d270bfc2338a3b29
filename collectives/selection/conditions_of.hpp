#pragma once

#include "collectives/algorithms/algorithm.hpp"

namespace cuboid::detail {

/// The conditions of all ranks, as far as one rank knows them. Blocks whose lengths the rank does
/// not know are assumed to be equal.
Conditions conditions_of(const Call& call, const Algorithm& algorithm);

}  // namespace cuboid::detail
