#pragma once

#include <cuboid/shape.hpp>

#include "collectives/evaluation/call.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

/// By axis of a group's shape, the rate of its links over the rate of the slowest axis with more
/// than one node. Empty: all axes are equally fast.
std::vector<double> relative_rates(const GroupNodes& group);

/// The shape that numbers a group's ranks: the shape of its nodes without axes of extent 1 and, if
/// each node has several ranks, one more axis. nullopt if there is none.
std::optional<Shape> shape_of_ranks(const Call& call);

/// shape_of_ranks() if it has several axes; nullopt if it has one. Rounds along a single axis are
/// the rounds of a ring of ranks.
std::optional<Shape> axes_of_ranks(const Call& call);

}  // namespace cuboid::detail
