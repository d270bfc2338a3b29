#include "topology/network/cut_bound.hpp"

#include "topology/network/max_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

namespace cuboid::detail {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
// Sums of rates are not exact, but rounded.
constexpr double rounding = 1e-9;

bool knows_rates(const Network& network) {
  return std::ranges::all_of(network.links(),
                             [](const Link& link) { return link.bytes_per_second > 0; });
}

/// The number of ranks or blocks on each node that has any.
std::map<int, double> counts_of(std::span<const int> hosts) {
  std::map<int, double> counts;
  for (const int host : hosts) ++counts[host];
  return counts;
}

MaxFlow flow_graph(const Network& network, int further_vertices) {
  MaxFlow flow(network.nodes() + further_vertices);
  for (const Link& link : network.links()) flow.add_arc(link.from, link.to, link.bytes_per_second);
  return flow;
}

double links_of(const Network& network, int node) {
  double rate = 0;
  for (const int link : network.links_from(node))
    rate += network.links()[static_cast<std::size_t>(link)].bytes_per_second;
  return rate;
}

/// The least number of links that are crossed in all if every block's host sends a block to the
/// host of every other block; infinity if a host cannot be reached.
double shortest_crossings(const Network& network, const std::map<int, double>& counts) {
  constexpr int unseen = -1;
  double crossings = 0;
  for (const auto& [root, blocks] : counts) {
    std::vector<int> distance(static_cast<std::size_t>(network.nodes()), unseen);
    const auto at = [&](int node) -> int& { return distance[static_cast<std::size_t>(node)]; };
    std::vector<int> queue = {root};
    at(root) = 0;
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const int node = queue[next];
      for (const int link : network.links_from(node)) {
        const int to = network.links()[static_cast<std::size_t>(link)].to;
        if (at(to) != unseen) continue;
        at(to) = at(node) + 1;
        queue.push_back(to);
      }
    }
    for (const auto& [host, others] : counts) {
      if (at(host) == unseen) return unbounded;
      crossings += blocks * others * at(host);
    }
  }
  return crossings;
}

/// Flows from a source that feeds each host at `rate` per block. The bound is the greatest rate at
/// which every sink can receive all blocks.
class BlocksToSinks {
 public:
  BlocksToSinks(const Network& network, const std::map<int, double>& blocks)
      : network_(network),
        blocks_(blocks),
        source_(network.nodes()),
        flow_(flow_graph(network, 1)) {
    for (const auto& [host, count] : blocks_) {
      feeds_.push_back(flow_.add_arc(source_, host, 0));
      all_ += count;
    }
  }

  /// The bytes per second of all blocks into a sink, at most `bound`. Each iteration takes the cut
  /// that the current rate violates most.
  double into(int sink, double bound) {
    while (true) {
      feed(bound / all_);
      if (flow_.between(source_, sink) >= bound * (1 - rounding)) return bound;
      const double allowed = cut_allows() * all_;
      if (allowed >= bound) return bound;
      bound = allowed;
    }
  }

 private:
  void feed(double rate) {
    std::size_t next = 0;
    for (const auto& [host, count] : blocks_) flow_.set_capacity(feeds_[next++], rate * count);
  }

  double cut_allows() const {
    const auto& inside = flow_.source_side();
    double links = 0;
    for (const Link& link : network_.links()) {
      if (inside[static_cast<std::size_t>(link.from)] && !inside[static_cast<std::size_t>(link.to)])
        links += link.bytes_per_second;
    }
    double leave = 0;
    for (const auto& [host, count] : blocks_) {
      if (inside[static_cast<std::size_t>(host)]) leave += count;
    }
    return links / leave;
  }

  const Network& network_;
  const std::map<int, double>& blocks_;
  int source_;
  MaxFlow flow_;
  std::vector<int> feeds_;
  double all_ = 0;
};

/// The bound by single hosts: the blocks of all other hosts enter a host over its own links.
double least_into_one(const Network& network, const std::map<int, double>& blocks, double all) {
  double bound = unbounded;
  for (const auto& [host, count] : blocks)
    bound = std::min(bound, links_of(network, host) * all / (all - count));
  return bound;
}

}  // namespace

double broadcast_bound(const Network& network, int root, std::span<const int> hosts) {
  if (!knows_rates(network)) return 0;
  MaxFlow flow = flow_graph(network, 0);
  double bound = unbounded;
  for (const auto& [host, count] : counts_of(hosts)) {
    if (host != root) bound = flow.between(root, host, bound);
  }
  return bound;
}

double allgather_bound(const Network& network, std::span<const int> hosts) {
  const auto blocks = counts_of(hosts);
  if (blocks.size() < 2) return unbounded;
  if (!knows_rates(network)) return 0;
  double bound = least_into_one(network, blocks, static_cast<double>(hosts.size()));
  BlocksToSinks flows(network, blocks);
  for (const auto& [host, count] : blocks) {
    if (bound > 0) bound = flows.into(host, bound);
  }
  return bound;
}

double gather_bound(const Network& network, int root, std::span<const int> hosts) {
  const auto blocks = counts_of(hosts);
  if (blocks.size() < 2) return unbounded;
  if (!knows_rates(network)) return 0;
  const double all = static_cast<double>(hosts.size());
  const auto own = blocks.find(root);
  const double elsewhere = all - (own == blocks.end() ? 0 : own->second);
  const double bound = links_of(network, root) * all / elsewhere;
  return bound > 0 ? BlocksToSinks(network, blocks).into(root, bound) : 0;
}

double allreduce_bound(const Network& network, std::span<const int> hosts) {
  const auto counts = counts_of(hosts);
  if (counts.size() < 2) return unbounded;
  double links = 0;
  for (const auto& [host, count] : counts) links += links_of(network, host);
  const double messages = 2 * (static_cast<double>(counts.size()) - 1);
  return std::min(broadcast_bound(network, counts.begin()->first, hosts), links / messages);
}

double alltoall_bound(const Network& network, std::span<const int> hosts) {
  if (!knows_rates(network)) return 0;
  const double all = static_cast<double>(hosts.size());
  const auto counts = counts_of(hosts);
  double bound = unbounded;
  for (const auto& [host, count] : counts) {
    if (count < all)
      bound = std::min(bound, links_of(network, host) * all / (count * (all - count)));
  }
  if (bound == unbounded) return bound;
  const double crossings = shortest_crossings(network, counts);
  if (crossings == unbounded) return 0;
  double rates = 0;
  for (const Link& link : network.links()) rates += link.bytes_per_second;
  return std::min(bound, rates * all / crossings);
}

std::optional<double> bound_with_bursts(double bound, double bytes, double head_start) {
  const double sustained = bytes / bound;
  if (2 * head_start >= sustained) return std::nullopt;
  return bytes / (sustained - head_start);
}

}  // namespace cuboid::detail
