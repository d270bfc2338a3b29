#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/parts.hpp"

#include <vector>

namespace cuboid::detail {

/// The binary tree that halves a box of nodes and sends, in every step, the least distance (COSMA,
/// Kwasniewski et al. 2019, §7.2): the holder of a box sends to the nearest node of its other half,
/// cut across the longest axis, and each then serves its own half. Over the places of a shape;
/// ⌈log2 l⌉ steps per axis at most. Where an axis wraps, boxes reach equally far to both sides of
/// the root.
std::vector<Edge> halving_tree(const Shape& shape, NodeIndex root);

/// What one node does in it, following the boxes that it is in.
TreeNeighbours halving_neighbours(const Shape& shape, NodeIndex root, NodeIndex node);

}  // namespace cuboid::detail
