#include "collectives/prices/estimate_rounds.hpp"

#include "collectives/prices/segments.hpp"

#include <algorithm>

namespace cuboid::detail {

namespace {

/// Bytes of all blocks of a rank's input and output that an operation of equal blocks has.
double own_memory(const Call& call) {
  const double bytes = static_cast<double>(call.bytes());
  const bool of_one_block =
      call.operation() == Operation::allgather || call.operation() == Operation::reduce_scatter;
  return of_one_block ? bytes + bytes / call.ranks() : 2 * bytes;
}

/// Bytes that a rank reads and writes: its own, and results of others, which ranks that share its
/// core read as well. Contributions are each read by one rank.
double touched_in_rounds(const Call& call, const RoundsSteps& steps) {
  const bool results = call.operation() != Operation::alltoall;
  const double of_others = results ? steps.bytes - steps.combined : 0;
  return own_memory(call) + steps.scratch + of_others / call.cost_model.ranks_per_core;
}

/// Bytes that a rank copies from its input to its output. They count for calls in place as well:
/// one rank's call may be in place and another's not, and all ranks must compute the same price.
double own_block(const Call& call) {
  const Operation operation = call.operation();
  const bool keeps_one = operation == Operation::allgather || operation == Operation::alltoall;
  if (!keeps_one) return 0;
  return static_cast<double>(call.bytes()) / call.ranks();
}

}  // namespace

CostEstimate estimate_rounds(const Call& call, double seconds, const RoundsSteps& in_node) {
  CostEstimate estimate{{}, seconds};
  const double ranks = call.ranks();
  estimate.settings.pipelining = pipelining_in_rounds(call);
  if (!call.on_one_node()) {
    const double messages = ranks * in_node.rounds * in_node.messages;
    const double bytes = ranks * in_node.bytes;
    estimate.seconds = std::max(estimate.seconds, call.core_seconds(messages, bytes));
    return estimate;
  }
  const double rounds = std::max(in_node.rounds, 1.0);
  // Every round but the first forwards the data of the round before.
  const double fresh_part = in_node.packed ? 1 : 1 - 1 / rounds;
  const double path_bytes = std::max(in_node.bytes, in_node.path_bytes);
  const double copied = in_node.copied + own_block(call);
  const auto segment = static_cast<double>(estimate.settings.pipelining.segment_bytes);
  const double messages = std::max(in_node.rounds * in_node.messages, in_node.bytes / segment);
  const NodeMemory memory = call.cost_model.memory(touched_in_rounds(call, in_node),
                                                   in_node.bytes / std::max(messages, 1.0));
  estimate.seconds = node_seconds(memory, call.ranks(),
                                  {.hops = in_node.rounds,
                                   .path_messages = messages,
                                   .path_bytes = path_bytes,
                                   .path_fresh = fresh_part * path_bytes,
                                   .path_combined = in_node.combined,
                                   .path_copied = copied,
                                   .messages = ranks * messages,
                                   .bytes = ranks * in_node.bytes,
                                   .fresh = ranks * fresh_part * in_node.bytes,
                                   .combined = ranks * in_node.combined,
                                   .copied = ranks * copied});
  return estimate;
}

}  // namespace cuboid::detail
