#pragma once

#include <cuboid/collectives/collective.hpp>
#include <cuboid/collectives/execution.hpp>
#include <cuboid/collectives/selection.hpp>

namespace cuboid {

/// Lays a collective out for one rank with the chosen algorithm, having proven its forest or
/// rounds. Pure.
Recipe make_recipe(const Collective& collective, int ranks, int rank, const Choice& choice,
                   const std::optional<GroupShape>& shape);

}  // namespace cuboid
