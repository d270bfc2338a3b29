#pragma once

#include <cuboid/shape.hpp>

#include "collectives/types/collective.hpp"
#include "models/messages/machine.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace cuboid::detail::tools {

/// The shape that --network gives, or the machine's own shape if the flag is empty. Throws
/// Error(invalid_argument), which names the flag, if the value is not a shape, if the shape has a
/// single node or more than 2^20 nodes, or if it states the rates of only some axes.
ShapeSpec network_from_flag(const std::string& text, const Machine& machine);

/// The upper bound on the rate of a message in bytes per second, by the worst cuts of the shape,
/// with the bursts of its links, and by the nodes' injection rates. nullopt for a barrier, if rates
/// are unknown, or if bursts may carry half of the message (burst_bound.hpp).
std::optional<double> bound_of_shape(Operation operation, std::size_t bytes, const ShapeSpec& spec,
                                     const Machine& machine);

/// The bound by the injection rate, which is the rate at which a node sends over all its links.
/// Each node sends at least the whole message, or on average all blocks but one; in an all-reduce,
/// twice that.
double bound_of_nodes(Operation operation, const Shape& shape, double injection);

}  // namespace cuboid::detail::tools
