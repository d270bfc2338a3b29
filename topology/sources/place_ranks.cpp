#include "topology/sources/place_ranks.hpp"

#include <cuboid/error.hpp>

#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

std::vector<int> hosts_of(const Network& network) {
  std::vector<int> nodes;
  for (int node = 0; node < network.nodes(); ++node) {
    if (network.role(node) == Role::host) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace

void require_places(std::int64_t nodes, const Hosts& hosts, const std::string& what) {
  const auto ranks = static_cast<std::int64_t>(hosts.of_rank.size());
  if (nodes == hosts.count() || (ranks == 1 && nodes > 0)) return;
  if (nodes > 0 && ranks % nodes == 0) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{} has {} nodes, but there are {} ranks on {} hosts: give one host "
                          "per node, or a multiple of {} ranks to imitate it",
                          what, nodes, ranks, hosts.count(), nodes));
}

RankPlaces place_in_order(const Network& network, const Hosts& hosts, const std::string& what) {
  const std::vector<int> nodes = hosts_of(network);
  require_places(static_cast<std::int64_t>(nodes.size()), hosts, what);
  const std::size_t ranks = hosts.of_rank.size();
  RankPlaces places;
  if (static_cast<std::size_t>(hosts.count()) == nodes.size()) {
    for (const int host : hosts.of_rank)
      places.node_of_rank.push_back(nodes[static_cast<std::size_t>(host)]);
    places.how = ranks == 0 ? "" : "hosts are assumed to be its nodes in order";
    return places;
  }
  if (ranks == 1) return {{nodes.front()}, "the only rank is assumed to be on its first node"};
  const std::size_t ranks_per_node = ranks / nodes.size();
  for (std::size_t rank = 0; rank < ranks; ++rank)
    places.node_of_rank.push_back(nodes[rank / ranks_per_node]);
  if (ranks > 0)
    places.how = fmt::format("imitated on fewer hosts: its nodes in order, ranks per node: {}",
                             ranks_per_node);
  return places;
}

namespace {

std::string_view short_name(std::string_view name) {
  return name.substr(0, name.find('.'));
}

/// Hosts by their names up to the first dot, without the hosts that share such a name.
std::map<std::string_view, int> by_short_name(const Network& network) {
  constexpr int several = -1;
  std::map<std::string_view, int> hosts;
  for (int node = 0; node < network.nodes(); ++node) {
    if (network.role(node) != Role::host) continue;
    const auto [entry, added] = hosts.try_emplace(short_name(network.name(node)), node);
    if (!added) entry->second = several;
  }
  std::erase_if(hosts, [](const auto& entry) { return entry.second == several; });
  return hosts;
}

/// The node of each host of the job.
std::vector<std::optional<int>> nodes_of_hosts(const Network& network, const Hosts& hosts) {
  const std::map<std::string_view, int> by_short = by_short_name(network);
  std::vector<std::optional<int>> nodes;
  for (const std::string_view name : hosts.names) {
    auto node = network.find(name);
    if (!node) {
      const auto found = by_short.find(short_name(name));
      if (found != by_short.end()) node = found->second;
    }
    if (node && network.role(*node) != Role::host) node = std::nullopt;
    nodes.push_back(node);
  }
  return nodes;
}

}  // namespace

NamedPlaces place_by_name(const Network& network, const Hosts& hosts) {
  const std::vector<std::optional<int>> nodes = nodes_of_hosts(network, hosts);
  NamedPlaces places;
  for (std::size_t host = 0; host < nodes.size(); ++host) {
    if (!nodes[host]) places.missing.push_back(hosts.names[host]);
  }
  if (!places.missing.empty()) return places;
  for (const int host : hosts.of_rank)
    places.node_of_rank.push_back(*nodes[static_cast<std::size_t>(host)]);
  return places;
}

}  // namespace cuboid::detail
