#include "collectives/forests/packed.hpp"

#include <cuboid/error.hpp>

#include "collectives/forests/arborescences.hpp"
#include "collectives/forests/splitting_off.hpp"
#include "topology/network/cut_bound.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace cuboid::detail {

namespace {

// Quotients of rates are not exact.
constexpr double rate_rounding = 1e-9;

int hosts_of(const Network& network) {
  int hosts = 0;
  while (hosts < network.nodes() && network.role(hosts) == Role::host) ++hosts;
  for (int node = hosts; node < network.nodes(); ++node) {
    if (network.role(node) == Role::host)
      throw Error(ErrorCode::invalid_argument, "hosts must come before switches");
  }
  return hosts;
}

// The links in units: the number of trees of `unit` bytes per second that each link can carry.
std::vector<Arc> arcs_in_units(const Network& network, double unit) {
  std::vector<Arc> arcs;
  for (const Link& link : network.links()) {
    const double trees = std::floor(link.bytes_per_second / unit * (1 + rate_rounding));
    if (trees >= 1) arcs.push_back({link.from, link.to, static_cast<int>(std::min(trees, 1e6))});
  }
  return arcs;
}

// `trees` trees out of each root. Each tree carries `unit` bytes per second.
struct Packing {
  int trees = 0;
  double unit = 0;
  double rate() const { return trees * unit; }
};

class Packer {
 public:
  Packer(const Network& network, std::span<const int> roots)
      : network_(network), hosts_(hosts_of(network)), roots_(roots), bound_(bound()) {
    for (const Link& link : network.links()) rates_.insert(link.bytes_per_second);
  }

  // The best packing. The packings that may carry most are tried first, until none of the others
  // can carry more than the best found.
  Packing best(int most_trees) const {
    if (bound_ <= 0) throw Error(ErrorCode::invalid_argument, "the hosts are not connected");
    std::vector<std::pair<Packing, std::vector<double>>> options;
    for (int trees = 1; trees <= most_trees; ++trees) {
      std::vector<double> units = units_for(trees);
      options.push_back({{trees, units.front()}, std::move(units)});
    }
    std::ranges::stable_sort(options, [](const auto& a, const auto& b) {
      return a.first.rate() > b.first.rate() * (1 + rate_rounding);
    });
    Packing best;
    for (const auto& [most, units] : options) {
      if (most.rate() <= best.rate() * (1 + rate_rounding)) break;
      const auto unit = std::ranges::partition_point(units, [&, trees = most.trees](double each) {
        return !feasible({trees, each});
      });
      if (unit == units.end()) continue;
      const Packing packing{most.trees, *unit};
      if (packing.rate() > best.rate() * (1 + rate_rounding)) best = packing;
    }
    return best;
  }

  std::vector<PackedTree> trees(const Packing& packing) const {
    std::vector<Arc> arcs = arcs_in_units(network_, packing.unit);
    if (network_.nodes() > hosts_)
      arcs = split_off_switches(network_.nodes(), hosts_, arcs, roots_, packing.trees);
    std::vector<PackedTree> result;
    for (auto& [root, copies, edges] : grow_arborescences(hosts_, arcs, roots_, packing.trees))
      result.push_back({root, std::move(edges), copies * packing.unit});
    return result;
  }

 private:
  // An upper bound of the bytes per second out of each root.
  double bound() const {
    std::vector<int> hosts(static_cast<std::size_t>(hosts_));
    std::iota(hosts.begin(), hosts.end(), 0);
    if (roots_.size() == 1) return broadcast_bound(network_, roots_.front(), hosts);
    return allgather_bound(network_, roots_) / static_cast<double>(roots_.size());
  }

  // The units worth trying, in descending order: the units at which a link's capacity in units
  // changes. The last unit always works, because with it every link can carry all trees of all
  // roots.
  std::vector<double> units_for(int trees) const {
    const double greatest = bound_ / trees * (1 + rate_rounding);
    const double all_trees = static_cast<double>(roots_.size()) * trees;
    std::set<double, std::greater<>> units = {*rates_.begin() / all_trees};
    for (const double rate : rates_) {
      for (double parts = std::max(1.0, std::ceil(rate / greatest));
           rate / parts > bound_ / (2 * trees); ++parts) {
        units.insert(rate / parts);
      }
    }
    return {units.begin(), units.end()};
  }

  bool feasible(const Packing& packing) const {
    return enough_arcs(network_.nodes(), hosts_, arcs_in_units(network_, packing.unit), roots_,
                       packing.trees);
  }

  const Network& network_;
  int hosts_;
  std::span<const int> roots_;
  double bound_;
  std::set<double> rates_;
};

}  // namespace

Network simplified(const Network& network) {
  const bool known = std::ranges::all_of(
      network.links(), [](const Link& link) { return link.bytes_per_second > 0; });
  std::map<std::pair<int, int>, double> rates;
  for (int cable = 0; cable < network.cables(); ++cable) {
    const Link& link = network.links()[2 * static_cast<std::size_t>(cable)];
    rates[std::minmax(link.from, link.to)] += known ? link.bytes_per_second : 1;
  }
  Network simple;
  for (int node = 0; node < network.nodes(); ++node)
    simple.add_node(network.name(node), network.role(node));
  for (const auto& [ends, rate] : rates) simple.add_cable(ends.first, ends.second, rate);
  return simple;
}

std::vector<PackedTree> packed_trees(const Network& network, std::span<const int> roots,
                                     int most_trees) {
  if (hosts_of(network) < 2) return {};
  const Network simple = simplified(network);
  const Packer packer(simple, roots);
  return packer.trees(packer.best(most_trees));
}

}  // namespace cuboid::detail
