#pragma once

#include "collectives/schedules/parts.hpp"

#include <array>

namespace cuboid::detail {

/// One rank's part in the trees of trees.hpp: its parent and children, by arithmetic, without the
/// rest of the tree. Takes time proportional to the rank's degree, and to the tree's depth at most.
using RelativesShape = Relatives (*)(int ranks, int root, int rank);

Relatives flat_relatives(int ranks, int root, int rank);
Relatives binomial_relatives(int ranks, int root, int rank);
Relatives chain_relatives(int ranks, int root, int rank);
Relatives downward_chain_relatives(int ranks, int root, int rank);
Relatives in_order_relatives(int ranks, int root, int rank);
Relatives binary_relatives(int ranks, int root, int rank);
Relatives knomial_relatives(int ranks, int root, int rank, int radix);
std::array<Relatives, 2> double_binary_relatives(int ranks, int root, int rank);

}  // namespace cuboid::detail
