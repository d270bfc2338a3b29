#pragma once

#include "collectives/schedules/parts.hpp"

#include <array>

namespace cuboid::detail {

/// The trees of trees.hpp as one rank sees them: its parent and children, by arithmetic, without
/// the rest of the tree. Time: the rank's own degree, and the tree's depth at most.
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
