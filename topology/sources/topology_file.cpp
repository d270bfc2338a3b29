#include "topology/sources/topology_file.hpp"

#include <cuboid/error.hpp>

#include "topology/slurm/slurm_topology.hpp"
#include "topology/sources/ibnetdiscover.hpp"
#include "topology/sources/network_file.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

std::vector<NodeGroup> hosts_below_switches(const Network& network) {
  std::vector<NodeGroup> groups;
  for (int node = 0; node < network.nodes(); ++node) {
    if (network.role(node) != Role::network_switch) continue;
    NodeGroup group{network.name(node), 0, {}};
    for (const int link : network.links_from(node)) {
      const int neighbour = network.links()[static_cast<std::size_t>(link)].to;
      if (network.role(neighbour) == Role::host) group.nodes.push_back(neighbour);
    }
    // A host with two cables to the switch is listed once.
    std::ranges::sort(group.nodes);
    group.nodes.erase(std::ranges::unique(group.nodes).begin(), group.nodes.end());
    if (!group.nodes.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

TopologyFile parse_topology_file(const TextFile& file) {
  if (is_json(file.text)) return {TopologyFileKind::network_json, parse_network_file(file), {}};
  if (is_ibnetdiscover(file.text)) {
    InfinibandFabric fabric = parse_ibnetdiscover(file);
    std::vector<NodeGroup> groups = hosts_below_switches(fabric.network);
    return {TopologyFileKind::ibnetdiscover, std::move(fabric.network), std::move(groups),
            std::move(fabric.doubts)};
  }
  if (is_slurm_topology(file.text)) {
    SlurmTopology slurm = parse_slurm_topology(file);
    return {TopologyFileKind::slurm_topology, std::move(slurm.network), std::move(slurm.groups)};
  }
  fail_at(file, 1,
          "neither a network in JSON, nor the output of ibnetdiscover, nor Slurm's topology.conf, "
          "topology.yaml or the output of scontrol show topology");
}

std::string_view to_string(TopologyFileKind kind) {
  switch (kind) {
    case TopologyFileKind::network_json: return "a network in JSON";
    case TopologyFileKind::ibnetdiscover: return "the output of ibnetdiscover";
    case TopologyFileKind::slurm_topology: return "Slurm's topology";
  }
  return "unknown";
}

}  // namespace cuboid::detail
