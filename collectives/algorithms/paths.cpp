#include "collectives/algorithms/families.hpp"
#include "collectives/forests/forests.hpp"
#include "topology/network/shape_bounds.hpp"

#include <algorithm>
#include <vector>

namespace cuboid::detail {

double exchange_seconds(const Call& call, std::size_t block) {
  const GroupCostModel& cost_model = call.cost_model;
  const GroupNodes& nodes = cost_model.nodes;
  const Hockney& message = cost_model.slowest();
  if (nodes.nodes() == 1 || !nodes.shape) return flat_seconds(message, call.ranks(), block);
  const double peers = call.ranks() - 1;
  const double ranks_of_a_node = static_cast<double>(call.ranks()) / nodes.nodes();
  // Measured rates may be somewhat below the nominal ones.
  std::vector<double> rates = nodes.axis_bytes_per_second;
  for (double& each : rates) each /= nodes.link_bytes_per_second * message.beta;
  if (rates.empty()) rates = {1 / message.beta};
  const double rate = alltoall_bound(*nodes.shape, rates);
  const double bytes = static_cast<double>(call.bytes()) * ranks_of_a_node;  // of a node
  double farthest = 0;
  for (const Axis& axis : nodes.shape->axes())
    farthest += axis.wraps ? axis.extent / 2 : axis.extent - 1;
  const double handled = cost_model.network_overhead * (peers - 1);
  const double carried = std::max(
      bytes / rate, cost_model.injection_seconds(bytes * (nodes.nodes() - 1) / nodes.nodes()));
  // Messages are handled while others travel, but for about a third: the busiest links idle until
  // those that need them have left. What is combined waits for its turn besides.
  const double alone = call.flow() == Flow::combine ? 1 : 1.0 / 3;
  return message.alpha + cost_model.hop_seconds * std::max(farthest - 1, 0.0) +
         std::max(handled, carried + alone * handled);
}

std::vector<Algorithm> path_algorithms() {
  return {
      {"direct",
       "every block in one message from its source to its destination",
       {Operation::gather, Operation::scatter, Operation::alltoall},
       true,
       [](const Call& call) -> std::optional<CostEstimate> {
         const double peers = call.ranks() - 1;
         // An all-to-all's bytes are those of all blocks, a gather's and a scatter's those of one.
         const bool all = call.operation() == Operation::alltoall;
         const std::size_t block =
             all ? call.bytes() / static_cast<std::size_t>(call.ranks()) : call.bytes();
         const double seconds = all ? exchange_seconds(call, block)
                                    : flat_seconds(call.cost_model.slowest(), call.ranks(), block);
         return estimate_rounds(
             call, seconds,
             {.rounds = 1, .bytes = peers * static_cast<double>(block), .messages = peers});
       },
       [](const Call&, const Conditions& conditions, const Settings&) -> ForestOrRounds {
         return direct_paths(conditions);
       },
       [](const Call&, const Conditions& conditions, const Settings&, int rank) -> RankPart {
         return direct_paths_part(conditions, rank);
       }},
  };
}

}  // namespace cuboid::detail
