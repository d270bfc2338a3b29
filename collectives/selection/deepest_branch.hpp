#pragma once

#include "collectives/evaluation/call.hpp"
#include "collectives/schedules/parts.hpp"

#include <functional>
#include <span>

namespace cuboid::detail {

/// A tree as one rank after the other sees it.
using TreeNeighboursOf = std::function<TreeNeighbours(int rank)>;

/// The seconds until the last rank has a segment of so many bytes of every tree, or if it flows
/// inwards, until the root has it from all. The trees have this root, and one begins an overhead
/// after the other. Infinite, if a branch is longer than could be quick.
///
/// Only the branches that promise to be the latest are followed. A rank's sends leave an overhead
/// apart. Those that begin with the same link share it: outwards all end together; inwards, from
/// subtrees of decreasing size, one after the other. Links shared with other ranks' messages are
/// not counted. Where the network has no known shape, all sends of a rank share a link.
double deepest_branch_seconds(const Call& call, std::span<const TreeNeighboursOf> trees, int root,
                              Flow flow, double bytes);

}  // namespace cuboid::detail
