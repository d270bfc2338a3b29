#pragma once

#include "collectives/evaluation/call.hpp"
#include "collectives/schedules/parts.hpp"

#include <functional>
#include <span>

namespace cuboid::detail {

/// A tree, given by each rank's parent and children.
using TreeNeighboursOf = std::function<TreeNeighbours(int rank)>;

/// Predicts the seconds until the last rank has a segment of `bytes` bytes of every tree; inwards,
/// until the root has a segment from every tree. All trees have this root, and each tree begins an
/// overhead after the tree before it. Infinite if a branch is longer than could be fast.
///
/// Only the most promising branches are followed. The sends of a rank leave an overhead apart.
/// Sends that begin with the same link share it. Outwards all of them end together; inwards they
/// come from subtrees of decreasing size, one after the other. Links shared with messages of other
/// ranks are not counted. If the network has no known shape, all sends of a rank share one link.
double deepest_branch_seconds(const Call& call, std::span<const TreeNeighboursOf> trees, int root,
                              Flow flow, double bytes);

}  // namespace cuboid::detail
