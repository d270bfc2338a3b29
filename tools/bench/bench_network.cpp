#include "tools/bench/bench_network.hpp"

#include <cuboid/error.hpp>

#include "topology/discovery/induced.hpp"
#include "topology/network/cut_bound.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace cuboid::detail::tools {

std::vector<int> line_of_rank(const std::optional<Discovery>& network, int axis) {
  const auto refuse = [axis](const std::string& why) {
    throw Error(ErrorCode::invalid_argument, fmt::format("--lines {}: {}", axis, why));
  };
  const auto shape = network ? network->shape() : std::nullopt;
  if (!shape) refuse("the network's shape is unknown: set it, e.g. CUBOID_TOPOLOGY=torus:4x4");
  if (axis < 0 || axis >= shape->dimensions()) {
    refuse(fmt::format("{} has axes 0 to {}", shape->to_string(), shape->dimensions() - 1));
  }
  std::map<Coordinate, int> lines;
  std::vector<int> result;
  for (const int node : network->node_of_rank) {
    auto coordinate = network->coordinate(node);
    if (!coordinate) refuse("a rank's node has no place in the shape");
    (*coordinate)[static_cast<std::size_t>(axis)] = 0;
    const int next = static_cast<int>(lines.size());
    result.push_back(lines.try_emplace(*coordinate, next).first->second);
  }
  return result;
}

std::optional<double> bound_of(Operation operation, int root, const BenchGroup& group) {
  std::vector<int> nodes;  // without repetitions
  std::map<int, int> number;
  std::vector<int> hosts;  // the node of each rank, as an index of `nodes`
  for (const int node : group.node_of_rank) {
    const auto [found, is_new] = number.try_emplace(node, static_cast<int>(nodes.size()));
    if (is_new) nodes.push_back(node);
    hosts.push_back(found->second);
  }
  if (nodes.size() < 2) return std::nullopt;
  const Network own = group.own_cables_only ? induced(group.network, nodes) : Network();
  if (!group.own_cables_only) hosts = group.node_of_rank;
  const Network& network = group.own_cables_only ? own : group.network;
  const int root_host = hosts[static_cast<std::size_t>(root)];

  double bound = 0;
  switch (operation) {
    case Operation::barrier:
    case Operation::scan:
    case Operation::exscan: return std::nullopt;
    case Operation::broadcast:
    case Operation::reduce: bound = broadcast_bound(network, root_host, hosts); break;
    case Operation::allreduce: bound = allreduce_bound(network, hosts); break;
    case Operation::allgather:
    case Operation::reduce_scatter: bound = allgather_bound(network, hosts); break;
    case Operation::gather:
    case Operation::scatter: bound = gather_bound(network, root_host, hosts); break;
    case Operation::alltoall: bound = alltoall_bound(network, hosts); break;
  }
  if (bound == 0) return std::nullopt;
  return bound;
}

double head_start_of(const Discovery& network) {
  if (network.burst_bytes == 0) return 0;
  const auto slowest =
      std::ranges::min_element(network.network.links(), {}, &Link::bytes_per_second);
  return network.burst_bytes / slowest->bytes_per_second;
}

}  // namespace cuboid::detail::tools
