#pragma once

#include <cuboid/shape.hpp>

#include "collectives/evaluation/call.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

/// By axis of a group's shape, how much faster its links are than the slowest of the axes with more
/// than one node. Empty: all alike.
std::vector<double> relative_rates(const GroupNodes& group);

/// The shape that numbers a group's ranks: that of its nodes, without axes of one, and, if each
/// node has several ranks, a further axis. nullopt if there is none.
std::optional<Shape> shape_of_ranks(const Call& call);

/// The same, if it has several axes, along which rounds can go: along one alone they are those of a
/// ring of ranks.
std::optional<Shape> axes_of_ranks(const Call& call);

}  // namespace cuboid::detail
