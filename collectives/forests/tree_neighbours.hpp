#pragma once

#include "collectives/schedules/parts.hpp"

#include <array>

namespace cuboid::detail {

/// One rank's part in the trees of trees.hpp: its parent and children, by arithmetic, without the
/// rest of the tree. Takes time proportional to the rank's degree, and to the tree's depth at most.
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
