#include "collectives/selection/simulated_platform.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

// The limit of what a node sends over all its cables; 0: no limit. If a measured rate is hardly
// less than the sum of the cables' rates, it is not a limit of the node.
double injection_limit(const GroupCostModel& cost_model, const Network& network) {
  constexpr double hardly_less = 0.9;
  std::size_t cables = 0;
  for (int node = 0; node < network.nodes(); ++node)
    cables = std::max(cables, network.links_from(node).size());
  const double all_cables = static_cast<double>(cables) / cost_model.network.beta;
  const double limit = cost_model.injection_bytes_per_second;
  return limit < hardly_less * all_cables ? limit : 0;
}

Network one_switch(int hosts) {
  Network network;
  for (int host = 0; host < hosts; ++host) network.add_node(fmt::format("{}", host));
  if (hosts == 1) return network;
  const int centre = network.add_node("switch", Role::network_switch);
  for (int host = 0; host < hosts; ++host) network.add_cable(host, centre);
  return network;
}

Routes routes_of(const GroupNodes& nodes) {
  if (nodes.shape) return Routes::dimension_ordered(*nodes.shape, nodes.axis_bytes_per_second);
  return Routes::shortest(nodes.network ? *nodes.network : one_switch(nodes.nodes()));
}

// Messages through a node's memory. The overhead is divided between both ends.
LogGP messages_through(const NodeMemory& memory) {
  return {.latency = std::max(0.0, memory.message.alpha - memory.overhead),
          .send_overhead = memory.overhead / 2,
          .receive_overhead = memory.overhead / 2,
          .byte_gap = memory.message.beta};
}

void set_node(Platform& platform, const GroupCostModel& cost_model, double bytes) {
  const NodeMemory memory = cost_model.memory(2 * bytes, bytes);
  platform.within_node = messages_through(memory);
  const double reader = 1 / memory.message.beta;
  const double source = cost_model.source_bytes_per_second;
  platform.source_bytes_per_second = source > 0 ? source : usual_readers.of_one_source * reader;
  const double of_a_node = static_cast<double>(cost_model.ranks()) / cost_model.nodes.nodes() /
                           cost_model.ranks_per_core;
  platform.memory_bytes_per_second =
      memory.crowded_beta > 0 ? of_a_node / memory.crowded_beta : usual_readers.of_a_node * reader;
}

}  // namespace

Platform platform_of(const GroupCostModel& cost_model, double bytes) {
  const GroupNodes& nodes = cost_model.nodes;
  Platform platform{routes_of(nodes), nodes.node_of_rank(), cost_model.between_nodes(), {}};
  if (nodes.nodes() < nodes.ranks()) set_node(platform, cost_model, bytes);
  if (nodes.nodes() == 1) {
    if (cost_model.ranks_per_core <= 1) return platform;
    platform.cores = std::max(1, static_cast<int>(cost_model.ranks() / cost_model.ranks_per_core));
    platform.context_switch_seconds = cost_model.context_switch;
    return platform;
  }
  platform.injection_bytes_per_second = injection_limit(cost_model, platform.routes.network());
  platform.hop_seconds = cost_model.hop_seconds;
  platform.burst_bytes = cost_model.burst_bytes;
  platform.incast_loss = cost_model.incast_loss;
  if (cost_model.crowded_network.empty()) return platform;
  // Each end of a message does half of its work.
  const double longest = static_cast<double>(cost_model.crowded_network.back().bytes);
  const double shortest = cost_model.message_seconds(0);
  platform.cores = std::max(1, static_cast<int>(cost_model.ranks() / cost_model.ranks_per_core));
  platform.context_switch_seconds = cost_model.network_context_switch;
  platform.core_byte_seconds = (cost_model.message_seconds(longest) - shortest) / longest / 2;
  const double alone = cost_model.network.alpha - cost_model.context_switches_of_others();
  platform.between_nodes.latency =
      std::max(0.0, alone - cost_model.network_context_switch - shortest);
  platform.between_nodes.send_overhead = platform.between_nodes.receive_overhead = shortest / 2;
  return platform;
}

}  // namespace cuboid::detail
