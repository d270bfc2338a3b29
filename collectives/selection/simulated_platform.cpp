#include "collectives/selection/simulated_platform.hpp"

#include <algorithm>
#include <cstddef>

namespace cuboid::detail {

namespace {

// A measured rate that is hardly less than that of all cables is these cables' own.
double injection_limit(const GroupCostModel& cost_model, const Network& network) {
  constexpr double hardly_less = 0.9;
  std::size_t cables = 0;
  for (int node = 0; node < network.nodes(); ++node)
    cables = std::max(cables, network.links_from(node).size());
  const double all_cables = static_cast<double>(cables) / cost_model.network.beta;
  const double limit = cost_model.injection_bytes_per_second;
  return limit < hardly_less * all_cables ? limit : 0;
}

}  // namespace

Platform platform_of(const GroupCostModel& cost_model) {
  const GroupNodes& nodes = cost_model.nodes;
  Platform platform{nodes.shape
                        ? Routes::dimension_ordered(*nodes.shape, nodes.axis_bytes_per_second)
                        : Routes::shortest(*nodes.network),
                    nodes.node_of_rank(), cost_model.between_nodes(), log_gp(cost_model.node)};
  platform.injection_bytes_per_second = injection_limit(cost_model, platform.routes.network());
  platform.hop_seconds = cost_model.hop_seconds;
  platform.burst_bytes = cost_model.burst_bytes;
  platform.incast_loss = cost_model.incast_loss;
  if (cost_model.crowded_network.empty()) return platform;
  // Both ends of a message share its work.
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
