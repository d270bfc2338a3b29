#include "collectives/prices/path_seconds.hpp"

#include "topology/network/shape_bounds.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <vector>

namespace cuboid::detail {

namespace {

/// Until the first byte of the farthest rank of a torus or mesh has come.
double farthest_latency(const Call& call) {
  const GroupCostModel& cost_model = call.cost_model;
  double farthest = 0;
  for (const Axis& axis : cost_model.nodes.shape->axes())
    farthest += axis.wraps ? axis.extent / 2 : axis.extent - 1;
  return cost_model.slowest().alpha + cost_model.hop_seconds * std::max(farthest - 1, 0.0);
}

/// What a core takes for all messages but the first.
double handling_seconds(const Call& call) {
  return call.cost_model.network_overhead * (call.ranks() - 2);
}

}  // namespace

double exchange_seconds(const Call& call, std::size_t block) {
  const GroupCostModel& cost_model = call.cost_model;
  const GroupNodes& nodes = cost_model.nodes;
  const Hockney& message = cost_model.slowest();
  if (nodes.nodes() == 1 || !nodes.shape) return flat_seconds(message, call.ranks(), block);
  const double ranks_of_a_node = static_cast<double>(call.ranks()) / nodes.nodes();
  // Measured rates may be somewhat below the nominal ones.
  std::vector<double> rates = nodes.axis_bytes_per_second;
  for (double& each : rates) each /= nodes.link_bytes_per_second * message.beta;
  if (rates.empty()) rates = {1 / message.beta};
  const double rate = alltoall_bound(*nodes.shape, rates);
  const double bytes = static_cast<double>(call.bytes()) * ranks_of_a_node;  // of a node
  const double handled = handling_seconds(call);
  const double carried = std::max(
      bytes / rate, cost_model.injection_seconds(bytes * (nodes.nodes() - 1) / nodes.nodes()));
  // Messages are handled while others travel, but for about a third: the busiest links idle until
  // those that need them have left. Those in the middle of lines idle less. What is combined waits
  // for its turn besides.
  const double idling = has_line(*nodes.shape) ? 0.15 : 1.0 / 3;
  const double alone = call.flow() == Flow::combine ? 1 : idling;
  const double all_handled = cost_model.network_overhead * (call.ranks() - 1);
  return std::max(all_handled,
                  farthest_latency(call) + std::max(handled / 2, carried + alone * handled));
}

double root_seconds(const Call& call, std::size_t block) {
  const GroupCostModel& cost_model = call.cost_model;
  const GroupNodes& nodes = cost_model.nodes;
  const Hockney& message = cost_model.slowest();
  if (nodes.nodes() == 1 || !nodes.shape) return flat_seconds(message, call.ranks(), block);
  const auto is_long = [](const Axis& axis) { return axis.extent > 1; };
  const auto& axes = nodes.shape->axes();
  const Axis& axis = call.operation() == Operation::scatter
                         ? *std::find_if(axes.begin(), axes.end(), is_long)
                         : *std::find_if(axes.rbegin(), axes.rend(), is_long);
  const double plane = static_cast<double>(nodes.nodes()) / axis.extent;
  const double links = axis.wraps && axis.extent > 2 ? 2 : 1;
  const double through_link = std::max((nodes.nodes() - plane) / links, plane - 1);
  const double of_a_node =
      static_cast<double>(block) * static_cast<double>(call.ranks()) / nodes.nodes();
  return farthest_latency(call) + handling_seconds(call) +
         std::max(message.beta * through_link * of_a_node,
                  cost_model.injection_seconds(of_a_node * (nodes.nodes() - 1)));
}

}  // namespace cuboid::detail
