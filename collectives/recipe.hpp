#pragma once

#include <cuboid/collectives/algorithm.hpp>
#include <cuboid/collectives/collective.hpp>
#include <cuboid/collectives/execution.hpp>
#include <cuboid/collectives/surroundings.hpp>

namespace cuboid {

/// Lays a collective out for one rank with the chosen algorithm, having proven its forest or
/// rounds. Pure.
Recipe make_recipe(const Collective& collective, const Surroundings& surroundings, int rank,
                   const Choice& choice);

}  // namespace cuboid
