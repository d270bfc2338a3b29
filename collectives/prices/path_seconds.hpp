#pragma once

#include "collectives/prices/call.hpp"

#include <cstddef>

namespace cuboid::detail {

/// Seconds over a network of a block of each rank straight to each other rank, all at once. On a
/// box of nodes they go the shortest ways, which load its busiest links as its bound has it; where
/// the links are not known, they come one after the other.
double exchange_seconds(const Call& call, std::size_t block);

/// Seconds in which a root gets a block of every rank, or sends one to each. Of an axis that routes
/// take last, or first, two links of the root's node carry all that lies off its plane.
double root_seconds(const Call& call, std::size_t block);

}  // namespace cuboid::detail
