#include "collectives/forests/splitting_off.hpp"

#include "topology/network/max_flow.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace cuboid::detail {

namespace {

using Capacities = std::map<std::pair<int, int>, int>;

/// The number of trees that cannot reach the host that the fewest trees reach.
int shortfall(int nodes, int hosts, const Capacities& capacities, std::span<const int> roots,
              int copies) {
  MaxFlow flow(nodes + 1);
  for (const auto& [ends, capacity] : capacities) flow.add_arc(ends.first, ends.second, capacity);
  for (const int root : roots) flow.add_arc(nodes, root, copies);
  const int wanted = static_cast<int>(roots.size()) * copies;
  int worst = wanted;
  for (int host = 0; host < hosts; ++host)
    worst = std::min(worst, static_cast<int>(flow.between(nodes, host, worst)));
  return wanted - worst;
}

Capacities between_ends(std::span<const Arc> arcs) {
  Capacities capacities;
  for (const Arc& arc : arcs) capacities[{arc.from, arc.to}] += arc.capacity;
  return capacities;
}

// Arcs whose capacities change, and for each host a maximum flow to it from all roots at once: as
// many trees as reach the host. A change leaves most of each flow as it was, and what it cuts is
// sent another way.
class FlowsToHosts {
 public:
  FlowsToHosts(int nodes, int hosts, std::span<const Arc> arcs, std::span<const int> roots,
               int copies)
      : source_(nodes),
        wanted_(static_cast<int>(roots.size()) * copies),
        arcs_at_(static_cast<std::size_t>(nodes) + 1),
        flows_(static_cast<std::size_t>(hosts)) {
    for (const Arc& arc : arcs) arcs_[number_of(arc.from, arc.to)].capacity += arc.capacity;
    for (const int root : roots) arcs_[number_of(source_, root)].capacity = copies;
    for (int host = 0; host < hosts; ++host) restore(host);
  }

  /// The nodes with arcs to or from a node, in ascending order.
  std::vector<int> before(int node) const { return neighbours(node, &FlowArc::to, &FlowArc::from); }
  std::vector<int> after(int node) const { return neighbours(node, &FlowArc::from, &FlowArc::to); }
  int capacity(int from, int to) { return arcs_[number_of(from, to)].capacity; }

  /// Replaces copies of the arcs into and out of a node by copies of the arc past it; a negative
  /// number of copies puts them back.
  void bypass(int from, int node, int to, int copies) {
    const std::size_t into = number_of(from, node);
    const std::size_t out = number_of(node, to);
    const std::size_t past = number_of(from, to);
    arcs_[into].capacity -= copies;
    arcs_[out].capacity -= copies;
    arcs_[past].capacity += copies;
    for (int host = 0; host < hosts(); ++host) {
      std::vector<int>& flow = of(host);
      // What flowed along both arcs goes past the node, and the other way round.
      const int on_both = std::min(surplus(flow, into), surplus(flow, out));
      const int on_past =
          std::min({surplus(flow, past), -surplus(flow, into), -surplus(flow, out)});
      const int moved = std::max(on_both, 0) - std::max(on_past, 0);
      flow[into] -= moved;
      flow[out] -= moved;
      flow[past] += moved;
      for (const std::size_t arc : {into, out, past}) reroute(host, arc);
      restore(host);
    }
  }

  void erase_arcs_at(int node) {
    for (const std::size_t arc : arcs_at_[static_cast<std::size_t>(node)]) {
      arcs_[arc].capacity = 0;
      for (int host = 0; host < hosts(); ++host) reroute(host, arc);
    }
    for (int host = 0; host < hosts(); ++host) restore(host);
  }

  /// The number of trees that cannot reach the host that the fewest trees reach.
  int shortfall() const {
    int most = 0;
    for (const HostFlow& flow : flows_) most = std::max(most, wanted_ - flow.value);
    return most;
  }

  std::vector<Arc> arcs() const {
    std::vector<Arc> result;
    for (const auto& [ends, number] : numbers_) {
      if (ends.first != source_ && arcs_[number].capacity > 0)
        result.push_back({ends.first, ends.second, arcs_[number].capacity});
    }
    return result;
  }

 private:
  struct FlowArc {
    int from;
    int to;
    int capacity = 0;
  };
  struct HostFlow {
    int value = 0;
    std::vector<int> on_arc = {};
  };

  int hosts() const { return static_cast<int>(flows_.size()); }
  std::vector<int>& of(int host) { return flows_[static_cast<std::size_t>(host)].on_arc; }
  int surplus(const std::vector<int>& flow, std::size_t arc) const {
    return flow[arc] - arcs_[arc].capacity;
  }

  // The number of an arc, which is added if there is none.
  std::size_t number_of(int from, int to) {
    const auto [found, is_new] = numbers_.try_emplace({from, to}, arcs_.size());
    if (is_new) {
      arcs_.push_back({from, to});
      for (const int end : {from, to})
        arcs_at_[static_cast<std::size_t>(end)].push_back(found->second);
      for (HostFlow& flow : flows_) flow.on_arc.push_back(0);
    }
    return found->second;
  }

  std::vector<int> neighbours(int node, int FlowArc::*near, int FlowArc::*far) const {
    std::vector<int> all;
    for (const std::size_t number : arcs_at_[static_cast<std::size_t>(node)]) {
      const FlowArc& arc = arcs_[number];
      if (arc.*near == node && arc.capacity > 0) all.push_back(arc.*far);
    }
    std::ranges::sort(all);
    return all;
  }

  // Sends what flows beyond an arc's capacity another way or, where there is none, no longer.
  void reroute(int host, std::size_t number) {
    const FlowArc arc = arcs_[number];
    const int excess = surplus(of(host), number);
    if (excess <= 0) return;
    of(host)[number] = arc.capacity;
    const int lost = excess - augment(host, arc.from, arc.to, excess);
    augment(host, arc.from, source_, lost);
    augment(host, host, arc.to, lost);
    flows_[static_cast<std::size_t>(host)].value -= lost;
  }

  // Makes the flow to a host a maximum flow.
  void restore(int host) {
    HostFlow& flow = flows_[static_cast<std::size_t>(host)];
    flow.value += augment(host, source_, host, wanted_ - flow.value);
  }

  // Increases a host's flow from one node to another by `most`, or by as much as the arcs allow.
  int augment(int host, int from, int to, int most) {
    if (from == to) return most;
    int sent = 0;
    while (sent < most && find_way(host, from, to)) {
      int more = most - sent;
      for (int node = to; node != from; node = previous(node))
        more = std::min(more, left(of(host), way_[static_cast<std::size_t>(node)], node));
      for (int node = to; node != from; node = previous(node)) {
        const std::size_t arc = way_[static_cast<std::size_t>(node)];
        of(host)[arc] += arcs_[arc].to == node ? more : -more;
      }
      sent += more;
    }
    return sent;
  }

  // What can be sent over an arc to one of its ends: what the arc has left, or, against its
  // direction, what flows over it.
  int left(const std::vector<int>& flow, std::size_t arc, int to) const {
    return arcs_[arc].to == to ? arcs_[arc].capacity - flow[arc] : flow[arc];
  }
  int previous(int node) const {
    const FlowArc& arc = arcs_[way_[static_cast<std::size_t>(node)]];
    return arc.to == node ? arc.from : arc.to;
  }

  // Finds a shortest way over which more can be sent: for each node on it, the arc to the node.
  bool find_way(int host, int from, int to) {
    const std::vector<int>& flow = of(host);
    way_.assign(arcs_at_.size(), none);
    queue_.assign(1, from);
    for (std::size_t next = 0; next < queue_.size(); ++next) {
      for (const std::size_t number : arcs_at_[static_cast<std::size_t>(queue_[next])]) {
        const FlowArc& arc = arcs_[number];
        const int end = arc.from == queue_[next] ? arc.to : arc.from;
        std::size_t& way = way_[static_cast<std::size_t>(end)];
        if (end == from || way != none || left(flow, number, end) <= 0) continue;
        way = number;
        if (end == to) return true;
        queue_.push_back(end);
      }
    }
    return false;
  }

  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  int source_;  // a node with an arc to each root
  int wanted_;
  std::vector<FlowArc> arcs_;
  std::map<std::pair<int, int>, std::size_t> numbers_;  // by ends
  std::vector<std::vector<std::size_t>> arcs_at_;       // by node, all arcs from and to it
  std::vector<HostFlow> flows_;                         // by host
  std::vector<std::size_t> way_;
  std::vector<int> queue_;
};

void split_off(FlowsToHosts& flows, int node) {
  const std::vector<int> before = flows.before(node);
  for (const int to : flows.after(node)) {
    for (const int from : before) {
      const int most = std::min(flows.capacity(from, node), flows.capacity(node, to));
      if (from == to || most == 0) continue;
      // All copies of both arcs at once; then as many are put back as are missing.
      flows.bypass(from, node, to, most);
      if (const int missing = flows.shortfall(); missing > 0)
        flows.bypass(from, node, to, -std::min(missing, most));
    }
  }
  flows.erase_arcs_at(node);
}

}  // namespace

bool enough_arcs(int nodes, int hosts, std::span<const Arc> arcs, std::span<const int> roots,
                 int copies) {
  return shortfall(nodes, hosts, between_ends(arcs), roots, copies) == 0;
}

std::vector<Arc> split_off_switches(int nodes, int hosts, std::span<const Arc> arcs,
                                    std::span<const int> roots, int copies) {
  FlowsToHosts flows(nodes, hosts, arcs, roots, copies);
  for (int node = hosts; node < nodes; ++node) split_off(flows, node);
  return flows.arcs();
}

}  // namespace cuboid::detail
