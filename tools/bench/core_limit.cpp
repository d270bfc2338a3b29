#include "tools/bench/core_limit.hpp"

#include "collectives/communicator/communicator_state.hpp"

#include <cmath>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// The total rate of all links between the nodes in bytes per second; 0 if unknown.
double network_bytes_per_second(const GroupNodes& nodes) {
  if (!nodes.network) return 0;
  double sum = 0;
  for (const Link& link : nodes.network->links()) {
    sum += link.bytes_per_second > 0 ? link.bytes_per_second : nodes.link_bytes_per_second;
  }
  return sum;
}

}  // namespace

double core_share_of_network(const GroupCostModel& cost_model) {
  if (cost_model.ranks_per_core <= 1 || cost_model.crowded_network.empty()) return 0;
  const auto longest = static_cast<double>(cost_model.crowded_network.back().bytes);
  if (longest <= 0) return 0;
  const double core_seconds_per_byte = cost_model.message_seconds(longest) / longest;
  const double cores = cost_model.ranks() / cost_model.ranks_per_core;
  return network_bytes_per_second(cost_model.nodes) * core_seconds_per_byte / cores;
}

void warn_where_cores_decide(const Communicator& world) {
  constexpr double most = 1;
  if (world.rank() != 0) return;
  const GroupCostModel& cost_model = world.state().cost_model;
  const double share = core_share_of_network(cost_model);
  if (share <= most) return;
  world.logger().warn(fmt::format(
      "{} ranks share {:.0f} cores, of which messages over all links at their rate would take "
      "{:.0f}%: the cores limit the rates, not the network, and predictions may be off: emulate "
      "slower "
      "links (at most {:.0f}% of this rate) or fewer nodes",
      cost_model.ranks(), std::ceil(cost_model.ranks() / cost_model.ranks_per_core), 100 * share,
      100 * most / share));
}

}  // namespace cuboid::detail::tools
