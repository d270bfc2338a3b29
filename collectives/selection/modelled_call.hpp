#pragma once

#include <cuboid/shape.hpp>

#include "collectives/evaluation/group_cost_model.hpp"
#include "collectives/types/collective.hpp"
#include "models/messages/machine.hpp"

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// Makes cables as fast as the slowest rate that the shape is given with, if any.
void set_rate(Machine& machine, const ShapeSpec& spec);

/// The rate of a cable along each axis: as the shape's text gives it, else the machine's.
std::vector<double> axis_rates(const Machine& machine, const ShapeSpec& spec);

/// The largest network that is modelled node by node: its cables take a few hundred megabytes.
inline constexpr NodeIndex most_modelled_nodes = 1 << 20;

/// One rank on every node of a shape, with the machine's parameters. Throws Error(invalid_argument)
/// for more nodes than can be modelled.
GroupCostModel one_rank_per_node(const Machine& machine, const ShapeSpec& spec);

/// The call of an operation on a message of `bytes`. For operations with a block per rank, `bytes`
/// are those of all blocks, and blocks are equal, rounded up. Throws Error(invalid_argument) beyond
/// longest_buffer.
Collective call_of(Operation operation, std::size_t bytes, int ranks);

/// Bytes of the call's message, all blocks together.
std::size_t message_bytes(const Collective& call, int ranks);

}  // namespace cuboid::detail
