#include "collectives/evaluation/round_loads.hpp"

#include <algorithm>

namespace cuboid::detail {

double latency(const GroupCostModel& cost_model, const RoundLoad& load) {
  if (load.links == 0) return cost_model.node.alpha;
  return cost_model.network.alpha + cost_model.hop_seconds * (load.links - 1);
}

double under_way(const Call& call, const RoundLoad& load) {
  const GroupCostModel& cost_model = call.cost_model;
  const double copied = cost_model.node.beta * load.copied;
  if (load.links == 0) return copied;
  const LogGP network = cost_model.between_nodes();
  const double until_last = network.send_overhead * std::max(load.messages - 1, 0.0);
  const double carried =
      std::max(cost_model.network.beta * load.on_link,
               cost_model.injection_seconds(load.received * call.most_on_a_node()));
  const double handled = (network.send_overhead + network.receive_overhead) * load.messages -
                         latency(cost_model, load);
  // The last message leaves when all others are on their way; half of them are on the busiest link.
  return std::max({until_last / 2 + carried, until_last + cost_model.network.beta * load.longest,
                   handled}) +
         copied;
}

double seconds_in_lockstep(const Call& call, std::span<const RoundLoad> loads) {
  double seconds = 0;
  for (const RoundLoad& load : loads)
    seconds += load.times * (latency(call.cost_model, load) + under_way(call, load));
  return seconds;
}

}  // namespace cuboid::detail
