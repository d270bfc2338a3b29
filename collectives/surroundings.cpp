#include <cuboid/collectives/surroundings.hpp>

#include <algorithm>
#include <utility>

namespace cuboid {

namespace {

// Orders of magnitude that hold for any machine of the kind: shared memory, and TCP over a network.
constexpr Hockney within_a_node{.alpha = 0.3e-6, .beta = 1 / 1e10};
constexpr Hockney between_nodes{.alpha = 30e-6, .beta = 1 / 1e8};

// Messages of pipelines come several at a turn.
constexpr double messages_at_a_turn = 4;

}  // namespace

double Surroundings::core_seconds(double messages, double bytes) const {
  if (messages <= 0) return 0;
  const double turns = ranks_per_core > 1 ? messages / messages_at_a_turn : 0;
  const double all = messages * message_seconds(bytes / messages) + turns * network_turn;
  return all * ranks_per_core / ranks();
}

double Surroundings::message_seconds(double bytes) const {
  if (crowded_network.empty()) return network_overhead;
  return crowded_network.front().seconds + bytes * byte_seconds(crowded_network, bytes);
}

double Surroundings::others_turns() const {
  return (crowded_network.empty() ? turn : network_turn) * (ranks_per_core - 1);
}

NodeMemory Surroundings::memory(double touched_bytes, double message_bytes) const {
  NodeMemory memory{
      .message = node, .ranks_per_core = ranks_per_core, .overhead = overhead, .turn = turn};
  memory.combine_beta = combine_beta;
  memory.copy_beta = combine_beta;
  if (touched_bytes <= 0) return memory;
  // Who measured read the one's bytes and wrote its own; of what is fresh, it then wrote the former
  // and read the latter's copy.
  const double bytes = touched_bytes / 2;
  const double fresh_bytes = touched_bytes / 4;
  if (node_messages) {
    memory.message.beta = node_messages->flowing_byte_seconds(bytes);
    memory.overhead += node_messages->handling_seconds(message_bytes);
  }
  if (combine_sizes.size() > 1) memory.combine_beta = byte_seconds(combine_sizes, bytes);
  memory.copy_beta = copy_sizes.size() > 1 ? byte_seconds(copy_sizes, bytes) : memory.combine_beta;
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

Surroundings surroundings_of(GroupNodes nodes, double ranks_per_core,
                             const Parameters* parameters) {
  Surroundings surroundings{std::move(nodes), between_nodes, within_a_node};
  surroundings.ranks_per_core = ranks_per_core;
  const double link = surroundings.nodes.link_bytes_per_second;
  if (link > 0) surroundings.network.beta = 1 / link;
  if (parameters == nullptr) return surroundings;
  if (parameters->between_nodes) {
    surroundings.network = parameters->between_nodes->message();
    const LogGP measured = parameters->between_nodes->log_gp();
    if (measured.send_overhead > 0 && measured.receive_overhead > 0)
      surroundings.network_overhead = measured.send_overhead + measured.receive_overhead;
    surroundings.crowded_network = parameters->crowded_network;
    if (parameters->network_turn) surroundings.network_turn = parameters->network_turn->value;
    if (parameters->crowd_loss) surroundings.crowd_loss = parameters->crowd_loss->value;
    // What disturbs a measurement makes it less.
    if (parameters->injection)
      surroundings.injection_bytes_per_second = parameters->injection->most;
    if (parameters->catch_up) surroundings.catch_up_bytes = parameters->catch_up->value;
    // The group's slowest cable may be another than those that were measured.
    if (link > 0 && parameters->cable_bytes_per_second > 0)
      surroundings.network.beta *= parameters->cable_bytes_per_second / link;
  }
  if (parameters->within_node) surroundings.node = parameters->within_node->message();
  surroundings.node_messages = parameters->within_node;
  surroundings.crowded_messages = parameters->within_crowded_node;
  if (parameters->combine) surroundings.combine_beta = parameters->combine->value;
  surroundings.fresh_messages = parameters->within_node_fresh;
  surroundings.combine_sizes = parameters->combine_sizes;
  surroundings.copy_sizes = parameters->copy_sizes;
  if (parameters->message_overhead) surroundings.overhead = parameters->message_overhead->value;
  if (parameters->turn) surroundings.turn = parameters->turn->value;
  if (parameters->between_nodes) surroundings.network.alpha += surroundings.others_turns();
  return surroundings;
}

}  // namespace cuboid
