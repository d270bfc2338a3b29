#pragma once

#include <cuboid/shape.hpp>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/evaluation/group_cost_model.hpp"
#include "collectives/types/collective.hpp"
#include "models/messages/machine.hpp"

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// Makes the machine's cables as fast as the slowest rate that the shape is given with, if there is
/// one.
void set_rate(Machine& machine, const ShapeSpec& spec);

/// The rate of a cable along each axis: from the shape's text, or else the machine's.
std::vector<double> axis_rates(const Machine& machine, const ShapeSpec& spec);

/// The largest network that is modelled node by node. The cables of such a network take a few
/// hundred megabytes.
inline constexpr NodeIndex most_modelled_nodes = 1 << 20;

/// One rank on every node of a shape, with the machine's parameters. Throws Error(invalid_argument)
/// for more nodes than can be modelled.
GroupCostModel one_rank_per_node(const Machine& machine, const ShapeSpec& spec);

/// The call of an operation on a message of `bytes` bytes. For operations with a block per rank,
/// these are the bytes of all blocks; blocks are equal and rounded up. Throws
/// Error(invalid_argument) if `bytes` exceeds longest_buffer.
Collective call_of(Operation operation, std::size_t bytes, int ranks);

/// The bytes of the call's message, all blocks together.
std::size_t message_bytes(const Collective& call, int ranks);

/// The conditions of all ranks, as far as one rank knows them. Blocks whose lengths the rank does
/// not know are assumed to be equal.
Conditions conditions_of(const Call& call, const Algorithm& algorithm);

}  // namespace cuboid::detail
