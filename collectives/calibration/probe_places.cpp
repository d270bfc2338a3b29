#include "collectives/calibration/probe_places.hpp"

#include <algorithm>
#include <set>

namespace cuboid::detail {

namespace {

int first_rank(const GroupNodes& nodes, int node) {
  return nodes.ranks_of_node[static_cast<std::size_t>(node)].front();
}

/// At most `most` places, at equal distances, beginning with the first.
std::vector<ProbePlace> spread(const std::vector<ProbePlace>& all, int most) {
  std::vector<ProbePlace> chosen;
  const std::size_t count = std::min(all.size(), static_cast<std::size_t>(most));
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(all[i * all.size() / count]);
  return chosen;
}

/// The neighbours of a node that have ranks of the group. Other nodes of the network may be
/// switches.
std::set<int> neighbours(const GroupNodes& nodes, int node) {
  std::set<int> found;
  for (const int link : nodes.network->links_from(node)) {
    const int other = nodes.network->links()[static_cast<std::size_t>(link)].to;
    if (other < nodes.nodes()) found.insert(other);
  }
  return found;
}

}  // namespace

std::vector<ProbePlace> pairs_between_nodes(const GroupNodes& nodes, int most) {
  std::vector<ProbePlace> pairs;
  const auto add = [&](int a, int b) {
    pairs.push_back({first_rank(nodes, a), {first_rank(nodes, b)}});
  };
  if (nodes.network) {
    for (int cable = 0; cable < nodes.network->cables(); ++cable) {
      const Link& link = nodes.network->links()[2 * static_cast<std::size_t>(cable)];
      const bool joins_ranks = std::max(link.from, link.to) < nodes.nodes();
      if (joins_ranks && link.bytes_per_second == nodes.link_bytes_per_second)
        add(link.from, link.to);
    }
  }
  if (pairs.empty()) {
    for (int node = 0; node + 1 < nodes.nodes(); ++node) add(node, node + 1);
  }
  return spread(pairs, most);
}

std::optional<DistantPair> distant_pair(const GroupNodes& nodes) {
  if (!nodes.network || nodes.network->nodes() != nodes.nodes()) return std::nullopt;
  std::vector<int> cables(static_cast<std::size_t>(nodes.nodes()), -1);
  std::vector<int> reached = {0};
  cables[0] = 0;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const int here = reached[next];
    for (const int other : neighbours(nodes, here)) {
      int& there = cables[static_cast<std::size_t>(other)];
      if (there >= 0) continue;
      there = cables[static_cast<std::size_t>(here)] + 1;
      reached.push_back(other);
    }
  }
  const int last = reached.back();
  const int apart = cables[static_cast<std::size_t>(last)];
  if (apart < 2) return std::nullopt;
  return DistantPair{{first_rank(nodes, 0), {first_rank(nodes, last)}}, apart};
}

std::vector<ProbePlace> pairs_within_nodes(const GroupNodes& nodes, int most) {
  std::vector<ProbePlace> pairs;
  for (const auto& ranks : nodes.ranks_of_node) {
    if (ranks.size() > 1) pairs.push_back({ranks[0], {ranks[1]}});
  }
  return spread(pairs, most);
}

std::optional<ProbePlace> hub(const GroupNodes& nodes) {
  if (!nodes.network) return std::nullopt;
  std::set<int> most;
  int centre = 0;
  for (int node = 0; node < nodes.nodes(); ++node) {
    std::set<int> around = neighbours(nodes, node);
    if (around.size() <= most.size()) continue;
    most = std::move(around);
    centre = node;
  }
  if (most.size() < 2) return std::nullopt;
  ProbePlace place{first_rank(nodes, centre), {}};
  for (const int node : most) place.answering.push_back(first_rank(nodes, node));
  return place;
}

std::optional<ProbePlace> source_within_a_node(const GroupNodes& nodes) {
  const auto& most = *std::ranges::max_element(
      nodes.ranks_of_node, {}, [](const std::vector<int>& ranks) { return ranks.size(); });
  if (most.size() < 3) return std::nullopt;
  return ProbePlace{most.front(), {most.begin() + 1, most.end()}};
}

std::vector<int> ranks_across_cables(const GroupNodes& nodes, int rank) {
  const int node = nodes.node_of_rank()[static_cast<std::size_t>(rank)];
  const auto ranks_of = [&](int other) -> const std::vector<int>& {
    return nodes.ranks_of_node[static_cast<std::size_t>(other)];
  };
  const auto place =
      static_cast<std::size_t>(std::ranges::find(ranks_of(node), rank) - ranks_of(node).begin());
  const std::set<int> next = {(node + 1) % nodes.nodes(),
                              (node + nodes.nodes() - 1) % nodes.nodes()};
  const std::set<int> around = hub(nodes) ? neighbours(nodes, node) : next;
  std::vector<int> peers;
  for (const int other : around) {
    if (other != node && place < ranks_of(other).size()) peers.push_back(ranks_of(other)[place]);
  }
  return peers;
}

}  // namespace cuboid::detail
