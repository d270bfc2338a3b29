#pragma once

#include "collectives/prices/call.hpp"
#include "collectives/prices/deepest_branch.hpp"
#include "models/messages/tree_steps.hpp"

namespace cuboid::detail {

/// The seconds that messages take longer, from the root of a tree to the farthest rank, than if all
/// ranks were neighbours: a hop for each further link. Some ranks' ways to the root are followed.
/// Where an all-reduce goes there and back, of both ways. 0 where the network has no known shape.
double further_links_seconds(const Call& call, const TreeSteps& steps,
                             const RelativesOf& relatives);

}  // namespace cuboid::detail
