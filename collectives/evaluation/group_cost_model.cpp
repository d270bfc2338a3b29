#include "collectives/evaluation/group_cost_model.hpp"

#include <algorithm>
#include <utility>

namespace cuboid::detail {

double GroupCostModel::core_seconds(double messages, double bytes, int ranks) const {
  if (messages <= 0) return 0;
  const double context_switches =
      ranks_per_core > 1 ? messages / usual_crowded_network.messages_per_waking : 0;
  const double all =
      messages * message_seconds(bytes / messages) + context_switches * network_context_switch;
  return all * ranks_per_core / ranks;
}

double GroupCostModel::message_seconds(double bytes) const {
  if (crowded_network.empty()) return network_overhead;
  return crowded_network.front().seconds + bytes * byte_seconds(crowded_network, bytes);
}

double GroupCostModel::context_switches_of_others() const {
  return (crowded_network.empty() ? context_switch : network_context_switch) * (ranks_per_core - 1);
}

LogGP GroupCostModel::between_nodes() const {
  const double of_an_end = std::min(network_overhead, network.alpha) / 2;
  return {.latency = network.alpha - 2 * of_an_end,
          .send_overhead = of_an_end,
          .receive_overhead = of_an_end,
          .gap = 0,
          .byte_gap = network.beta};
}

NodeMemory GroupCostModel::memory(double touched_bytes, double message_bytes) const {
  NodeMemory memory{.message = node,
                    .ranks_per_core = ranks_per_core,
                    .overhead = overhead,
                    .context_switch = context_switch};
  memory.combine_beta = combine_beta;
  memory.copy_beta = copy_beta;
  if (touched_bytes <= 0) return memory;
  // Parameters are measured with messages of half of these bytes: the measuring rank reads its
  // peer's bytes and writes its own. With fresh data it also writes its bytes anew and reads a copy
  // of the peer's, so there a message has a quarter.
  const double bytes = touched_bytes / 2;
  const double fresh_bytes = touched_bytes / 4;
  if (node_messages) {
    memory.message.beta = node_messages->flowing_byte_seconds(bytes);
    memory.overhead += node_messages->handling_seconds(message_bytes);
  }
  if (combine_sizes.size() > 1) memory.combine_beta = byte_seconds(combine_sizes, bytes);
  memory.copy_beta = copy_sizes.size() > 1      ? byte_seconds(copy_sizes, bytes)
                     : combine_sizes.size() > 1 ? memory.combine_beta
                                                : copy_beta;
  if (crowded_messages) {
    memory.crowded_beta = crowded_messages->flowing_byte_seconds(bytes);
    memory.crowded_overhead = overhead + crowded_messages->handling_seconds(message_bytes);
  }
  if (fresh_messages) {
    memory.fresh_beta = fresh_messages->flowing_byte_seconds(fresh_bytes);
    memory.fresh_overhead = overhead + fresh_messages->handling_seconds(message_bytes);
  }
  return memory;
}

GroupCostModel group_cost_model_of(GroupNodes nodes, double ranks_per_core,
                                   const Parameters* parameters) {
  GroupCostModel cost_model{std::move(nodes), usual_message_between_nodes, usual_message_in_node};
  cost_model.ranks_per_core = ranks_per_core;
  const double link = cost_model.nodes.link_bytes_per_second;
  if (link > 0) cost_model.network.beta = 1 / link;
  if (parameters == nullptr) {
    if (ranks_per_core > 1) {
      const UsualCrowdedNetwork& usual = usual_crowded_network;
      cost_model.crowded_network = {{0, usual.short_message},
                                    {usual.long_bytes, usual.long_message}};
      cost_model.network.alpha = usual.latency + cost_model.context_switches_of_others();
    }
    return cost_model;
  }
  if (parameters->between_nodes) {
    cost_model.network = parameters->between_nodes->message();
    const LogGP measured = parameters->between_nodes->log_gp();
    if (measured.send_overhead > 0 && measured.receive_overhead > 0)
      cost_model.network_overhead = measured.send_overhead + measured.receive_overhead;
    cost_model.crowded_network = parameters->crowded_network;
    if (parameters->network_context_switch)
      cost_model.network_context_switch = parameters->network_context_switch->value;
    if (parameters->hop) cost_model.hop_seconds = parameters->hop->value;
    if (parameters->incast_loss) cost_model.incast_loss = parameters->incast_loss->value;
    // A disturbed measurement yields a smaller value, so the greatest one counts.
    if (parameters->injection) cost_model.injection_bytes_per_second = parameters->injection->most;
    if (parameters->overlap) cost_model.overlap = parameters->overlap->value;
    if (parameters->burst) cost_model.burst_bytes = parameters->burst->value;
    // The group's slowest cable may not be among those that were measured.
    if (link > 0 && parameters->cable_bytes_per_second > 0)
      cost_model.network.beta *= parameters->cable_bytes_per_second / link;
  }
  if (parameters->within_node) cost_model.node = parameters->within_node->message();
  cost_model.node_messages = parameters->within_node;
  cost_model.crowded_messages = parameters->within_crowded_node;
  if (parameters->source) cost_model.source_bytes_per_second = parameters->source->value;
  if (parameters->combine)
    cost_model.combine_beta = cost_model.copy_beta = parameters->combine->value;
  cost_model.fresh_messages = parameters->within_node_fresh;
  cost_model.combine_sizes = parameters->combine_sizes;
  cost_model.copy_sizes = parameters->copy_sizes;
  if (parameters->message_overhead) cost_model.overhead = parameters->message_overhead->value;
  if (parameters->context_switch) cost_model.context_switch = parameters->context_switch->value;
  if (parameters->between_nodes)
    cost_model.network.alpha += cost_model.context_switches_of_others();
  return cost_model;
}

}  // namespace cuboid::detail
