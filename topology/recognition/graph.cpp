#include "topology/recognition/graph.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace cuboid::detail::recognition {
namespace {

const Link& link(const Network& network, int number) {
  return network.links()[static_cast<std::size_t>(number)];
}

/// The only switch that a host is cabled to; -1 if the host has no cables, -2 if it has other
/// neighbours, too.
int only_switch(const Network& network, int host) {
  int found = -1;
  for (const int number : network.links_from(host)) {
    const int to = link(network, number).to;
    if (network.role(to) != Role::network_switch || (found >= 0 && found != to)) return -2;
    found = to;
  }
  return found;
}

}  // namespace

Graph::Graph(const Network& network) {
  place_nodes(network);
  neighbours_.resize(node_of_.size());

  // Cables are sorted by their ends, so parallel cables are next to each other.
  std::vector<std::tuple<int, int, int>> cables;
  for (int cable = 0; cable < network.cables(); ++cable) {
    const Link& there = link(network, 2 * cable);
    const int a = vertex_of(there.from);
    const int b = vertex_of(there.to);
    if (a != b) cables.emplace_back(std::min(a, b), std::max(a, b), cable);
  }
  std::ranges::sort(cables);
  for (const auto& [a, b, cable] : cables) {
    if (edges_.empty() || edges_.back().a != a || edges_.back().b != b) {
      const int edge = static_cast<int>(edges_.size());
      neighbours_[static_cast<std::size_t>(a)].push_back({b, edge});
      neighbours_[static_cast<std::size_t>(b)].push_back({a, edge});
      edges_.push_back({a, b, {}});
    }
    edges_.back().cables.push_back(cable);
  }
}

void Graph::place_nodes(const Network& network) {
  std::vector<int> switch_of(static_cast<std::size_t>(network.nodes()), -1);
  bool any_host_hangs = false;
  bool all_hosts_hang = true;
  for (int node = 0; node < network.nodes(); ++node) {
    if (network.role(node) == Role::network_switch) continue;
    const int found = only_switch(network, node);
    switch_of[static_cast<std::size_t>(node)] = found;
    any_host_hangs = any_host_hangs || found >= 0;
    all_hosts_hang = all_hosts_hang && found != -2;
  }
  through_switches_ = any_host_hangs && all_hosts_hang;

  vertex_of_.resize(static_cast<std::size_t>(network.nodes()), -1);
  for (int node = 0; node < network.nodes(); ++node) {
    if (through_switches_ && network.role(node) != Role::network_switch) continue;
    vertex_of_[static_cast<std::size_t>(node)] = static_cast<int>(node_of_.size());
    node_of_.push_back(node);
  }
  if (!through_switches_) return;
  for (int node = 0; node < network.nodes(); ++node) {
    const int hangs_off = switch_of[static_cast<std::size_t>(node)];
    if (hangs_off >= 0) {
      vertex_of_[static_cast<std::size_t>(node)] = vertex_of_[static_cast<std::size_t>(hangs_off)];
    }
  }
}

int Graph::edge_between(int a, int b) const {
  // Searches the shorter list: one end may be a hub.
  if (degree(b) < degree(a)) std::swap(a, b);
  for (const Neighbour& neighbour : neighbours(a)) {
    if (neighbour.vertex == b) return neighbour.edge;
  }
  return -1;
}

std::vector<int> largest_component(const Graph& graph) {
  std::vector<bool> seen(static_cast<std::size_t>(graph.vertices()), false);
  std::vector<int> largest;
  for (int first = 0; first < graph.vertices(); ++first) {
    if (seen[static_cast<std::size_t>(first)]) continue;
    seen[static_cast<std::size_t>(first)] = true;
    std::vector<int> component{first};
    for (std::size_t next = 0; next < component.size(); ++next) {
      for (const Neighbour& neighbour : graph.neighbours(component[next])) {
        if (seen[static_cast<std::size_t>(neighbour.vertex)]) continue;
        seen[static_cast<std::size_t>(neighbour.vertex)] = true;
        component.push_back(neighbour.vertex);
      }
    }
    if (component.size() > largest.size()) largest = std::move(component);
  }
  std::ranges::sort(largest);
  return largest;
}

}  // namespace cuboid::detail::recognition
