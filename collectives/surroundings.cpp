#include <cuboid/collectives/surroundings.hpp>

#include <algorithm>
#include <utility>

namespace cuboid {

namespace {

// Orders of magnitude that hold for any machine of the kind: shared memory, and TCP over a network.
constexpr Hockney within_a_node{.alpha = 0.3e-6, .beta = 1 / 1e10};
constexpr Hockney between_nodes{.alpha = 30e-6, .beta = 1 / 1e8};
constexpr double wake_up = 3e-6;

}  // namespace

double Surroundings::core_seconds(double messages) const {
  const double each = network_overhead + (ranks_per_core > 1 ? wake_up : 0);
  return messages * each * ranks_per_core / ranks();
}

NodeMemory Surroundings::memory(double bytes) const {
  NodeMemory memory{node, ranks_per_core, overhead, turn};
  memory.combine_beta = combine_beta;
  if (bytes <= 0) return memory;
  if (node_messages) memory.message.beta = node_messages->byte_seconds(bytes);
  if (combine_sizes.size() > 1) memory.combine_beta = byte_seconds(combine_sizes, bytes);
  if (crowded_messages) memory.crowded_beta = crowded_messages->byte_seconds(bytes);
  if (fresh_messages) memory.fresh_beta = fresh_messages->byte_seconds(bytes);
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
  if (parameters->message_overhead) surroundings.overhead = parameters->message_overhead->value;
  if (parameters->turn) surroundings.turn = parameters->turn->value;
  // It was measured while all others slept. In a collective they, too, want their turns.
  if (parameters->between_nodes)
    surroundings.network.alpha += surroundings.turn * (ranks_per_core - 1);
  return surroundings;
}

}  // namespace cuboid
