#pragma once

#include "collectives/schedules/parts.hpp"

#include <array>

namespace cuboid::detail {

/// The trees of trees.hpp as one rank sees them: its parent and children, by arithmetic, without
/// the rest of the tree. Time: the rank's own degree, and the tree's depth at most.
using TreeNeighboursShape = TreeNeighbours (*)(int ranks, int root, int rank);

TreeNeighbours flat_neighbours(int ranks, int root, int rank);
TreeNeighbours binomial_neighbours(int ranks, int root, int rank);
TreeNeighbours chain_neighbours(int ranks, int root, int rank);
TreeNeighbours downward_chain_neighbours(int ranks, int root, int rank);
TreeNeighbours in_order_neighbours(int ranks, int root, int rank);
TreeNeighbours binary_neighbours(int ranks, int root, int rank);
TreeNeighbours knomial_neighbours(int ranks, int root, int rank, int radix);
std::array<TreeNeighbours, 2> double_binary_neighbours(int ranks, int root, int rank);

}  // namespace cuboid::detail
