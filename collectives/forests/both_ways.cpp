#include "collectives/forests/both_ways.hpp"

#include <cuboid/error.hpp>

#include "topology/network/cut_bound.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

namespace cuboid::detail {

namespace {

// Quotients of rates are not exact.
constexpr double rounding = 1e-9;

using CableSet = std::vector<bool>;  // by cable

// Trees that each carry one unit. The network has at most one cable between two nodes.
class UnitTrees {
 public:
  UnitTrees(const Network& network, int trees)
      : network_(network), load_(static_cast<std::size_t>(network.cables()), 0) {
    for (int tree = 0; tree < trees; ++tree) trees_.push_back(of_least_load());
  }

  const std::vector<CableSet>& trees() const { return trees_; }
  const std::vector<int>& load() const { return load_; }
  double rate(std::size_t cable) const { return ends(cable).bytes_per_second; }

  // Exchanges cables until no cable has more trees than its capacity; false if that is impossible.
  bool fit(const std::vector<int>& capacity) {
    for (std::size_t cable = 0; cable < capacity.size(); ++cable) {
      while (load_[cable] > capacity[cable]) {
        if (!relieve(cable, capacity)) return false;
      }
    }
    return true;
  }

 private:
  struct Exchange {
    std::size_t instead_of;
    std::size_t tree;
  };

  const Link& ends(std::size_t cable) const { return network_.links()[2 * cable]; }
  bool joins(std::size_t cable, const std::vector<int>& part_of) const {
    return part_of[static_cast<std::size_t>(ends(cable).from)] !=
           part_of[static_cast<std::size_t>(ends(cable).to)];
  }

  // A spanning tree of the cables that are loaded least.
  CableSet of_least_load() {
    std::vector<std::size_t> order(load_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {},
                             [&](std::size_t cable) { return (load_[cable] + 1) / rate(cable); });
    std::vector<int> part_of(static_cast<std::size_t>(network_.nodes()));
    std::iota(part_of.begin(), part_of.end(), 0);
    CableSet tree(load_.size(), false);
    int cables = 0;
    for (const std::size_t cable : order) {
      if (!joins(cable, part_of)) continue;
      const int merged = part_of[static_cast<std::size_t>(ends(cable).to)];
      const int into = part_of[static_cast<std::size_t>(ends(cable).from)];
      std::ranges::replace(part_of, merged, into);
      tree[cable] = true;
      ++load_[cable];
      ++cables;
    }
    if (cables + 1 < network_.nodes())
      throw Error(ErrorCode::invalid_argument, "the hosts are not connected");
    return tree;
  }

  // For each node the part that it is in when a tree loses a cable: 1 or 0.
  std::vector<int> parts_without(const CableSet& tree, std::size_t cable) const {
    std::vector<int> part_of(static_cast<std::size_t>(network_.nodes()), 0);
    std::vector<int> reached = {ends(cable).from};
    part_of[static_cast<std::size_t>(reached.front())] = 1;
    for (std::size_t next = 0; next < reached.size(); ++next) {
      for (const int link : network_.links_from(reached[next])) {
        const auto along = static_cast<std::size_t>(link) / 2;
        const int to = network_.links()[static_cast<std::size_t>(link)].to;
        if (along == cable || !tree[along] || part_of[static_cast<std::size_t>(to)] == 1) continue;
        part_of[static_cast<std::size_t>(to)] = 1;
        reached.push_back(to);
      }
    }
    return part_of;
  }

  // Follows the shortest chain of exchanges from an overloaded cable to a cable with room; false if
  // there is none.
  bool relieve(std::size_t overloaded, const std::vector<int>& capacity) {
    std::vector<std::optional<Exchange>> exchange(load_.size());
    std::vector<std::size_t> queue = {overloaded};
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const std::size_t cable = queue[next];
      for (std::size_t tree = 0; tree < trees_.size(); ++tree) {
        if (!trees_[tree][cable]) continue;
        const std::vector<int> part_of = parts_without(trees_[tree], cable);
        for (std::size_t other = 0; other < load_.size(); ++other) {
          if (other == overloaded || exchange[other] || trees_[tree][other]) continue;
          if (!joins(other, part_of)) continue;
          exchange[other] = {cable, tree};
          if (load_[other] < capacity[other]) {
            follow(exchange, other, overloaded);
            return true;
          }
          queue.push_back(other);
        }
      }
    }
    return false;
  }

  void follow(const std::vector<std::optional<Exchange>>& exchange, std::size_t with_room,
              std::size_t overloaded) {
    ++load_[with_room];
    --load_[overloaded];
    for (std::size_t cable = with_room; cable != overloaded;) {
      const auto [instead_of, tree] = *exchange[cable];
      trees_[tree][instead_of] = false;
      trees_[tree][cable] = true;
      cable = instead_of;
    }
  }

  const Network& network_;
  std::vector<int> load_;  // by cable
  std::vector<CableSet> trees_;
};

// The rate that each tree can carry.
double unit_of(const UnitTrees& trees) {
  double unit = std::numeric_limits<double>::infinity();
  for (std::size_t cable = 0; cable < trees.load().size(); ++cable) {
    if (trees.load()[cable] > 0) unit = std::min(unit, trees.rate(cable) / trees.load()[cable]);
  }
  return unit;
}

// The largest units at which some cable carries a whole number of trees, in descending order.
std::vector<double> units_below(const Network& network, double most) {
  constexpr std::size_t worth_trying = 6;
  std::set<double, std::greater<>> units;
  for (const Link& link : network.links()) {
    const double parts = std::max(1.0, std::ceil(link.bytes_per_second / most * (1 - rounding)));
    for (std::size_t more = 0; more < worth_trying; ++more)
      units.insert(link.bytes_per_second / (parts + static_cast<double>(more)));
  }
  std::vector<double> falling(units.begin(), units.end());
  falling.resize(std::min(falling.size(), worth_trying));
  return falling;
}

// The best packing of `count` trees whose rates sum up to at most `bound`.
UnitTrees packed_below(const Network& network, int count, double bound) {
  UnitTrees best(network, count);
  for (const double unit : units_below(network, bound / count)) {
    if (unit <= unit_of(best) * (1 + rounding)) break;
    std::vector<int> capacity;
    for (std::size_t cable = 0; cable < best.load().size(); ++cable)
      capacity.push_back(static_cast<int>(best.rate(cable) / unit * (1 + rounding)));
    UnitTrees fitted = best;
    if (fitted.fit(capacity)) return fitted;
  }
  return best;
}

// The edges of a tree from its root outwards, breadth first, so that no node is farther from the
// root than the last child.
std::vector<Edge> outwards(const Network& network, const CableSet& tree, int root) {
  std::vector<Edge> edges;
  std::vector<bool> reached(static_cast<std::size_t>(network.nodes()), false);
  std::vector<int> queue = {root};
  reached[static_cast<std::size_t>(root)] = true;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    for (const int link : network.links_from(queue[next])) {
      const int to = network.links()[static_cast<std::size_t>(link)].to;
      if (!tree[static_cast<std::size_t>(link) / 2] || reached[static_cast<std::size_t>(to)])
        continue;
      reached[static_cast<std::size_t>(to)] = true;
      edges.push_back({queue[next], to});
      queue.push_back(to);
    }
  }
  return edges;
}

// The node in the middle of a longest path. A tree with this root is as shallow as possible.
int centre_of(const Network& network, const CableSet& tree) {
  const int end = outwards(network, tree, 0).back().child;
  const std::vector<Edge> edges = outwards(network, tree, end);
  std::vector<int> parents(static_cast<std::size_t>(network.nodes()), end);
  for (const auto& [parent, child] : edges) parents[static_cast<std::size_t>(child)] = parent;
  std::vector<int> path = {edges.back().child};
  while (path.back() != end) path.push_back(parents[static_cast<std::size_t>(path.back())]);
  return path[path.size() / 2];
}

}  // namespace

std::vector<PackedTree> trees_both_ways(const Network& network, double cost_of_tree,
                                        int most_trees) {
  const Network simple = simplified(network);
  std::vector<int> hosts(static_cast<std::size_t>(simple.nodes()));
  std::iota(hosts.begin(), hosts.end(), 0);
  if (simple.nodes() < 2) return {};
  const double bound = allreduce_bound(simple, hosts);
  if (bound <= 0) throw Error(ErrorCode::invalid_argument, "the hosts are not connected");
  std::optional<UnitTrees> best;
  double best_worth = 0;
  for (int count = 1; count <= most_trees; ++count) {
    const double left = 1 - cost_of_tree * count;
    if (best && bound * left <= best_worth * (1 + rounding)) break;
    UnitTrees trees = packed_below(simple, count, bound);
    const double worth = count * unit_of(trees) * left;
    if (worth <= best_worth * (1 + rounding)) continue;
    best.emplace(std::move(trees));
    best_worth = worth;
  }
  std::vector<PackedTree> result;
  for (const CableSet& tree : best->trees()) {
    const int root = centre_of(simple, tree);
    result.push_back({root, outwards(simple, tree, root), unit_of(*best)});
  }
  return result;
}

}  // namespace cuboid::detail
