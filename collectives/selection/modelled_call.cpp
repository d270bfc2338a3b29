#include "collectives/selection/modelled_call.hpp"

#include <cuboid/error.hpp>

#include "models/messages/log_gp.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

void set_rate(Machine& machine, const ShapeSpec& spec) {
  double slowest = 0;
  for (const double rate : spec.bytes_per_second)
    if (rate > 0 && (slowest == 0 || rate < slowest)) slowest = rate;
  if (slowest > 0) machine.between_nodes.byte_gap = 1 / slowest;
}

std::vector<double> axis_rates(const Machine& machine, const ShapeSpec& spec) {
  std::vector<double> rates = spec.bytes_per_second;
  rates.resize(static_cast<std::size_t>(spec.shape.dimensions()), 0);
  std::ranges::replace(rates, 0.0, machine.link_bytes_per_second());
  return rates;
}

GroupCostModel one_rank_per_node(const Machine& machine, const ShapeSpec& spec) {
  if (spec.shape.nodes() > most_modelled_nodes) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a network of {} nodes: at most {} are modelled; give a smaller shape",
                            spec.shape.nodes(), most_modelled_nodes));
  }
  GroupNodes nodes = GroupNodes::apart(static_cast<int>(spec.shape.nodes()));
  nodes.shape = spec.shape;
  nodes.set_rates(axis_rates(machine, spec));
  if (!nodes.axis_bytes_per_second.empty())
    nodes.network = Network::of_shape(spec.shape, nodes.axis_bytes_per_second);
  GroupCostModel cost_model = group_cost_model_of(std::move(nodes), 1, nullptr);
  cost_model.network = hockney(machine.between_nodes);
  cost_model.hop_seconds = machine.hop_seconds;
  // Data that is combined comes from memory, whatever the rate of the cables.
  if (machine.within_node) {
    cost_model.node = hockney(*machine.within_node);
  } else if (machine.memory_bytes_per_second > 0) {
    cost_model.node.beta = 1 / machine.memory_bytes_per_second;
  }
  // The overheads of the machine's cores; none if only α is known.
  cost_model.network_overhead =
      machine.between_nodes.send_overhead + machine.between_nodes.receive_overhead;
  cost_model.injection_bytes_per_second = machine.injection_bytes_per_second;
  cost_model.burst_bytes = machine.burst_bytes;
  cost_model.incast_loss = machine.incast_loss;
  cost_model.overlap = machine.overlap;
  return cost_model;
}

Collective call_of(Operation operation, std::size_t bytes, int ranks) {
  if (bytes > longest_buffer) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("a message of {} bytes: the longest is {} bytes", bytes, longest_buffer));
  }
  Collective call{.operation = operation, .count = bytes};
  if (!has_blocks(operation)) return call;
  const auto size = static_cast<std::size_t>(ranks);
  call.count = (bytes + size - 1) / size;
  const BlockList blocks = BlockList::equal(ranks, call.count);
  if (operation == Operation::allgather || operation == Operation::alltoall)
    call.output_blocks = blocks;
  if (operation == Operation::reduce_scatter || operation == Operation::alltoall)
    call.input_blocks = blocks;
  call.equal_blocks = operation == Operation::alltoall;
  return call;
}

std::size_t message_bytes(const Collective& call, int ranks) {
  return has_blocks(call.operation) ? call.count * static_cast<std::size_t>(ranks) : call.count;
}

namespace {

// The blocks of an all-to-all: one from each rank to each other rank. For algorithms that number
// blocks by distance: one block for each distance, from rank 0.
Conditions alltoall_conditions(const Call& call, bool by_distance) {
  const int ranks = call.ranks();
  const std::size_t bytes = call.bytes() / static_cast<std::size_t>(ranks);
  if (by_distance)
    return {ranks, BlockSequence::equal(static_cast<std::size_t>(ranks), bytes,
                                        BlockSequence::Owner::after, 0)};
  Conditions conditions{ranks, {}};
  for (int distance = 1; distance < ranks; ++distance) {
    for (int rank = 0; rank < ranks; ++rank)
      conditions.blocks.push_back(
          {{conditions.blocks.size() * bytes, bytes}, rank, (rank + distance) % ranks});
  }
  return conditions;
}

// The bytes of each rank's block. If the call has no buffers, only its length is known, and the
// blocks are equal.
std::vector<std::size_t> bytes_of_blocks(const Call& call, const BlockList& blocks) {
  const auto parts = static_cast<std::size_t>(call.ranks());
  if (!blocks.empty()) return blocks.counts(call.element_bytes());
  return std::vector(parts, call.collective.count / parts * call.element_bytes());
}

}  // namespace

Conditions conditions_of(const Call& call, const Algorithm& algorithm) {
  const Collective& collective = call.collective;
  const int ranks = call.ranks();
  // In a gather or scatter a rank knows only its own block.
  const auto own = [&] {
    return std::vector<std::size_t>(static_cast<std::size_t>(ranks), call.bytes());
  };
  switch (collective.operation) {
    case Operation::broadcast: return Conditions::broadcast(ranks, call.bytes(), collective.root);
    case Operation::reduce: return Conditions::reduce(ranks, call.bytes(), collective.root);
    case Operation::allreduce:
    case Operation::scan:
    case Operation::exscan: return Conditions::allreduce(ranks, call.bytes());
    case Operation::allgather:
      return Conditions::allgather(bytes_of_blocks(call, collective.output_blocks));
    case Operation::reduce_scatter:
      return Conditions::reduce_scatter(bytes_of_blocks(call, collective.input_blocks));
    case Operation::gather: return Conditions::gather(own(), collective.root);
    case Operation::scatter: return Conditions::scatter(own(), collective.root);
    case Operation::alltoall: return alltoall_conditions(call, algorithm.distances != nullptr);
    case Operation::barrier: break;
  }
  return {ranks, {}};
}

}  // namespace cuboid::detail
