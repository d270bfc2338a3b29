#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/parts.hpp"

#include <vector>

namespace cuboid::detail {

/// A binary tree that halves boxes of nodes and sends over the shortest distance in every step
/// (COSMA, Kwasniewski et al. 2019, §7.2). The node that holds a box cuts it across the longest
/// axis and sends to the nearest node of the other half; then each of the two nodes holds its half.
/// There are at most ⌈log2 l⌉ steps per axis of extent l. Along an axis that wraps, the first box
/// reaches equally far to both sides of the root.
std::vector<Edge> halving_tree(const Shape& shape, NodeIndex root);

/// One node's part in halving_tree(), found by following the boxes that it is in.
TreeNeighbours halving_neighbours(const Shape& shape, NodeIndex root, NodeIndex node);

}  // namespace cuboid::detail
