#pragma once

#include <cuboid/shape.hpp>

#include "collectives/types/collective.hpp"
#include "models/messages/machine.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace cuboid::detail::tools {

/// The shape that --network gives, or the machine's own where the flag is empty. Throws
/// Error(invalid_argument) naming the flag where it is no shape, has a single node, or has more
/// than 2^20.
ShapeSpec network_from_flag(const std::string& text, const Machine& machine);

/// The upper bound on the operation's rate in bytes of the message per second, by the worst cuts of
/// the shape and by what nodes send; nullopt for a barrier, or where rates are unknown.
std::optional<double> bound_of_shape(Operation operation, const ShapeSpec& spec,
                                     const Machine& machine);

/// What nodes that send so much over all their links allow: each has the whole message to send at
/// least, or on average all blocks but one, or of an all-reduce two of these.
double bound_of_nodes(Operation operation, const Shape& shape, double injection);

}  // namespace cuboid::detail::tools
