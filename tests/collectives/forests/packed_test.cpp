#include "collectives/forests/packed.hpp"

#include <cuboid/error.hpp>
#include <cuboid/shape.hpp>

#include "collectives/forests/both_ways.hpp"
#include "collectives/forests/tree_cache.hpp"
#include "collectives/schedules/checker.hpp"
#include "collectives/schedules/group_nodes.hpp"
#include "collectives/selection/candidates.hpp"
#include "collectives/selection/selection.hpp"
#include "tests/collectives/by_asking.hpp"
#include "topology/discovery/induced.hpp"
#include "topology/network/cut_bound.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cuboid::detail {
namespace packed_test {

std::vector<int> first(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

Network cables_of(const Shape& shape, double rate = 1) {
  return Network::of_shape(shape,
                           std::vector<double>(static_cast<std::size_t>(shape.dimensions()), rate));
}

Network cables_of(const char* spec) {
  return cables_of(parse_shape(spec).shape);
}

Network less_cable(const Network& network, int cut) {
  Network rest;
  for (int node = 0; node < network.nodes(); ++node)
    rest.add_node(network.name(node), network.role(node));
  for (int cable = 0; cable < network.cables(); ++cable) {
    const Link& link = network.links()[2 * static_cast<std::size_t>(cable)];
    if (cable != cut) rest.add_cable(link.from, link.to, link.bytes_per_second);
  }
  return rest;
}

Network less_node(const Network& network, int dead) {
  std::vector<int> alive = first(network.nodes());
  alive.erase(alive.begin() + dead);
  return induced(network, alive);
}

Network random_network(std::mt19937& random, int nodes, int cables, int rates) {
  Network network;
  for (int node = 0; node < nodes; ++node) network.add_node(std::to_string(node));
  const auto any = [&](int below) {
    return static_cast<int>(random() % static_cast<unsigned>(below));
  };
  const auto rate_of = [&] { return static_cast<double>(1 + any(rates)); };
  for (int node = 1; node < nodes; ++node) network.add_cable(any(node), node, rate_of());
  while (network.cables() < cables) {
    const int a = any(nodes);
    const int b = any(nodes);
    if (a != b) network.add_cable(a, b, rate_of());
  }
  return network;
}

double total(const std::vector<PackedTree>& trees) {
  return std::accumulate(trees.begin(), trees.end(), 0.0, [](double sum, const PackedTree& tree) {
    return sum + tree.bytes_per_second;
  });
}

int depth_of(const std::vector<PackedTree>& trees) {
  int greatest = 0;
  for (const PackedTree& tree : trees) {
    std::map<int, int> depth;
    for (const auto& [parent, child] : tree.edges)
      greatest = std::max(greatest, depth[child] = depth[parent] + 1);
  }
  return greatest;
}

// Every tree reaches every host once, from its root outwards.
void expect_spanning(const std::vector<PackedTree>& trees, int hosts) {
  for (const PackedTree& tree : trees) {
    std::vector<bool> reached(static_cast<std::size_t>(hosts), false);
    reached[static_cast<std::size_t>(tree.root)] = true;
    for (const auto& [parent, child] : tree.edges) {
      ASSERT_TRUE(reached[static_cast<std::size_t>(parent)]);
      ASSERT_FALSE(reached[static_cast<std::size_t>(child)]);
      reached[static_cast<std::size_t>(child)] = true;
    }
    ASSERT_EQ(tree.edges.size() + 1, static_cast<std::size_t>(hosts));
    ASSERT_GT(tree.bytes_per_second, 0);
  }
}

// On a network without switches.
void expect_within_rates(const Network& network, const std::vector<PackedTree>& trees) {
  std::map<std::pair<int, int>, double> left;
  for (const Link& link : network.links()) left[{link.from, link.to}] += link.bytes_per_second;
  for (const PackedTree& tree : trees) {
    for (const auto& [parent, child] : tree.edges) left[{parent, child}] -= tree.bytes_per_second;
  }
  for (const auto& [ends, rate] : left)
    ASSERT_GE(rate, -1e-6) << ends.first << " - " << ends.second;
}

void expect_whole_bound(const Network& network, int root) {
  const std::vector<int> roots = {root};
  const auto trees = packed_trees(network, roots);
  expect_spanning(trees, network.nodes());
  expect_within_rates(network, trees);
  EXPECT_NEAR(total(trees), broadcast_bound(network, root, first(network.nodes())), 1e-6);
}

TEST(PackedTrees, AreAsManyAsTheLeastCutHasLinksOnSmallShapes) {
  for (const char* spec :
       {"torus:2", "mesh:5", "torus:5", "torus:2x2", "torus:3x2", "mesh:4x4", "torus:4x4",
        "torus:5,mesh:3", "torus:3x3x3", "hypercube:4", "mesh:3x1x4"}) {
    SCOPED_TRACE(spec);
    const Network network = cables_of(spec);
    for (int root = 0; root < network.nodes(); ++root) {
      expect_whole_bound(network, root);
      ASSERT_FALSE(HasFailure()) << root;
    }
  }
}

TEST(PackedTrees, AreAsManyAsTheLeastCutHasLinksOnRandomNetworks) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 150; ++trial) {
    SCOPED_TRACE(trial);
    const int nodes = 2 + trial % 12;
    const Network network = random_network(random, nodes, nodes + trial % 17, 1);
    for (int root = 0; root < nodes; ++root) {
      expect_whole_bound(network, root);
      ASSERT_FALSE(HasFailure()) << root;
    }
  }
}

TEST(PackedTrees, AreShallowOnTheDamagedToriOfTheLab) {
  const Network torus = cables_of("torus:4x4");
  for (int cable = 0; cable < torus.cables(); ++cable) {
    const Network cut = less_cable(torus, cable);
    for (int root = 0; root < cut.nodes(); ++root) {
      const std::vector<int> roots = {root};
      const auto trees = packed_trees(cut, roots);
      EXPECT_EQ(trees.size(), 3U);
      EXPECT_LE(depth_of(trees), 9);
      expect_whole_bound(cut, root);
    }
  }
  const Network larger = cables_of("torus:4x5");
  for (int dead = 0; dead < larger.nodes(); ++dead) {
    const Network holed = less_node(larger, dead);
    for (int root = 0; root < holed.nodes(); ++root) {
      const std::vector<int> roots = {root};
      const auto trees = packed_trees(holed, roots);
      EXPECT_EQ(trees.size(), 3U);
      EXPECT_LE(depth_of(trees), 10);
      expect_whole_bound(holed, root);
    }
  }
}

// Of all divisions of the nodes, each of which is tried: what crosses away from the root.
double least_cut(const Network& network, int root) {
  double least = std::numeric_limits<double>::infinity();
  const unsigned everybody = (1U << static_cast<unsigned>(network.nodes())) - 1;
  const auto has = [](unsigned set, int node) {
    return ((set >> static_cast<unsigned>(node)) & 1U) != 0;
  };
  for (unsigned set = 0; set < everybody; ++set) {
    if (!has(set, root)) continue;
    double crossing = 0;
    for (const Link& link : network.links()) {
      if (has(set, link.from) && !has(set, link.to)) crossing += link.bytes_per_second;
    }
    least = std::min(least, crossing);
  }
  return least;
}

TEST(PackedTrees, CarryTheLeastCutOverUnequalLinks) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 60; ++trial) {
    SCOPED_TRACE(trial);
    const int nodes = 2 + trial % 9;
    const Network network = random_network(random, nodes, 2 * nodes, 7);
    const std::vector<int> roots = {trial % nodes};
    const auto trees = packed_trees(network, roots);
    expect_spanning(trees, nodes);
    expect_within_rates(network, trees);
    EXPECT_LE(trees.size(), 16U);
    const double least = least_cut(network, roots[0]);
    EXPECT_NEAR(broadcast_bound(network, roots[0], first(nodes)), least, 1e-6);
    EXPECT_GE(total(trees), 0.98 * least);
    EXPECT_LE(packed_trees(network, roots, 2).size(), 2U);
  }
}

TEST(PackedTrees, OfAllRootsShareTheLinks) {
  for (const char* spec : {"torus:4x4", "torus:5", "mesh:3x3", "torus:3x2"}) {
    SCOPED_TRACE(spec);
    const Network network = cables_of(spec);
    const auto trees = packed_trees(network, first(network.nodes()));
    expect_spanning(trees, network.nodes());
    expect_within_rates(network, trees);
    EXPECT_GE(total(trees), 0.99 * allgather_bound(network, first(network.nodes())));
  }
  const Network cut = less_cable(cables_of("torus:4x4"), 7);
  const auto trees = packed_trees(cut, first(16));
  expect_spanning(trees, 16);
  expect_within_rates(cut, trees);
  EXPECT_GE(total(trees), 0.97 * allgather_bound(cut, first(16)));
}

// Hosts behind leaf switches, these behind all spines, as many links up as down.
Network fat_tree(int leaves, int hosts_per_leaf, int spines, double host_rate, double up_rate = 1) {
  Network network;
  const int hosts = leaves * hosts_per_leaf;
  for (int host = 0; host < hosts; ++host) network.add_node("h" + std::to_string(host));
  for (int leaf = 0; leaf < leaves; ++leaf) {
    const int number = network.add_node("l" + std::to_string(leaf), Role::network_switch);
    for (int i = 0; i < hosts_per_leaf; ++i)
      network.add_cable(leaf * hosts_per_leaf + i, number, host_rate);
  }
  for (int spine = 0; spine < spines; ++spine) {
    const int number = network.add_node("s" + std::to_string(spine), Role::network_switch);
    for (int leaf = 0; leaf < leaves; ++leaf) network.add_cable(hosts + leaf, number, up_rate);
  }
  return network;
}

// What crosses a host's link and a leaf's links up, each way.
void expect_within_fat_tree(const std::vector<PackedTree>& trees, int hosts_per_leaf, double up,
                            double host_rate) {
  std::map<int, double> out_of_host;
  std::map<int, double> into_host;
  std::map<int, double> out_of_leaf;
  std::map<int, double> into_leaf;
  for (const PackedTree& tree : trees) {
    for (const auto& [parent, child] : tree.edges) {
      out_of_host[parent] += tree.bytes_per_second;
      into_host[child] += tree.bytes_per_second;
      if (parent / hosts_per_leaf == child / hosts_per_leaf) continue;
      out_of_leaf[parent / hosts_per_leaf] += tree.bytes_per_second;
      into_leaf[child / hosts_per_leaf] += tree.bytes_per_second;
    }
  }
  for (const auto& loads : {out_of_host, into_host}) {
    for (const auto& [host, load] : loads) EXPECT_LE(load, host_rate + 1e-6) << host;
  }
  for (const auto& loads : {out_of_leaf, into_leaf}) {
    for (const auto& [leaf, load] : loads) EXPECT_LE(load, up + 1e-6) << leaf;
  }
}

TEST(PackedTrees, GoThroughSwitchesWithinTheirLinks) {
  struct Case {
    int leaves, hosts_per_leaf, spines;
    double host_rate;
  };
  for (const auto& [leaves, hosts_per_leaf, spines, host_rate] :
       {Case{1, 5, 0, 1}, Case{2, 2, 1, 1}, Case{3, 3, 2, 1}, Case{2, 4, 2, 2}, Case{4, 2, 4, 2}}) {
    const Network network = fat_tree(leaves, hosts_per_leaf, spines, host_rate);
    const int hosts = leaves * hosts_per_leaf;
    for (const bool all : {false, true}) {
      SCOPED_TRACE(testing::Message() << leaves << " leaves, all roots: " << all);
      const std::vector<int> roots = all ? first(hosts) : std::vector<int>{hosts - 1};
      const auto trees = packed_trees(network, roots);
      expect_spanning(trees, hosts);
      expect_within_fat_tree(trees, hosts_per_leaf, spines, host_rate);
      const double bound = all ? allgather_bound(network, first(hosts))
                               : broadcast_bound(network, hosts - 1, first(hosts));
      EXPECT_GE(total(trees), (all ? 0.9 : 0.999) * bound);
    }
  }
}

TEST(PackedTrees, OfAThousandNodes) {
  Network network = cables_of("torus:10x10x10");
  for (const int cable : {2900, 1711, 512, 3}) network = less_cable(network, cable);
  const std::vector<int> roots = {0};
  const auto trees = packed_trees(network, roots);
  expect_spanning(trees, 1000);
  expect_within_rates(network, trees);
  EXPECT_EQ(total(trees), broadcast_bound(network, 0, first(1000)));
  EXPECT_LE(depth_of(trees), 40);
}

// Slices as heavy as the links that carry them.
TEST(PackedTrees, OfAxesOfDifferentRatesReachTheBound) {
  const std::vector<std::vector<double>> all = {{4, 1}, {1, 4}, {10, 1}, {3, 2}, {100, 37}};
  for (const char* spec : {"torus:4x4", "mesh:4x4", "torus:3x5", "torus:4x2", "mesh:2x6"}) {
    for (const auto& rates : all) {
      const Network network = Network::of_shape(parse_shape(spec).shape, rates);
      for (const int root : {0, network.nodes() / 2}) {
        SCOPED_TRACE(fmt::format("{} {}/{} root {}", spec, rates[0], rates[1], root));
        const std::vector<int> roots = {root};
        const auto trees = packed_trees(network, roots);
        expect_spanning(trees, network.nodes());
        expect_within_rates(network, trees);
        EXPECT_GE(total(trees), 0.98 * broadcast_bound(network, root, first(network.nodes())));
      }
      const auto trees = packed_trees(network, first(network.nodes()));
      expect_spanning(trees, network.nodes());
      expect_within_rates(network, trees);
      EXPECT_GE(total(trees), 0.98 * allgather_bound(network, first(network.nodes())));
    }
  }
}

TEST(PackedAlgorithm, IsChosenForLongMessagesOnAxesOfDifferentRates) {
  GroupCostModel cost_model{GroupNodes::apart(16), {30e-6, 8 / 50e6}, {1e-6, 2e-10}};
  cost_model.nodes.shape = parse_shape("torus:4x4").shape;
  cost_model.nodes.set_rates(std::vector<double>{200e6 / 8, 50e6 / 8});
  cost_model.nodes.network =
      Network::of_shape(*cost_model.nodes.shape, cost_model.nodes.axis_bytes_per_second);
  for (const Operation operation : {Operation::broadcast, Operation::reduce}) {
    const Collective collective{.operation = operation, .count = 16U << 20U};
    const Choice choice = select(collective, cost_model);
    EXPECT_EQ(choice.algorithm->name, "packed");
    EXPECT_LE(choice.seconds, (16U << 20U) / (0.95 * 400e6 / 8));
  }
}

// Of every way to divide the nodes into parts, the least that the cables between them allow.
double least_of_partitions(const Network& network) {
  double least = std::numeric_limits<double>::infinity();
  std::vector<int> part_of(static_cast<std::size_t>(network.nodes()), 0);
  const auto divide = [&](const auto& self, std::size_t node, int parts) -> void {
    if (node == part_of.size()) {
      double between = 0;
      for (const Link& link : network.links()) {
        const bool crosses = part_of[static_cast<std::size_t>(link.from)] !=
                             part_of[static_cast<std::size_t>(link.to)];
        if (crosses) between += link.bytes_per_second / 2;
      }
      if (parts > 1) least = std::min(least, between / (parts - 1));
      return;
    }
    for (int part = 0; part <= parts; ++part) {
      part_of[node] = part;
      self(self, node + 1, std::max(parts, part + 1));
    }
  };
  divide(divide, 1, 1);
  return least;
}

double total_both_ways(const Network& network) {
  const auto trees = trees_both_ways(network, 0);
  expect_spanning(trees, network.nodes());
  expect_within_rates(network, trees);
  auto back = trees;
  for (PackedTree& tree : back)
    for (Edge& edge : tree.edges) std::swap(edge.parent, edge.child);
  expect_within_rates(network, back);
  return total(trees);
}

TEST(TreesBothWays, CarryWhatTheSparsestDivisionAllows) {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const int nodes = 2 + round % 5;
    const Network network = random_network(random, nodes, nodes + round % 4, 1 + round % 3);
    const double least = least_of_partitions(network);
    const double carried = total_both_ways(network);
    EXPECT_LE(carried, least * (1 + 1e-9));
    EXPECT_GE(carried, 0.98 * least);
  }
}

TEST(TreesBothWays, ReachTheBoundOfAnAllReduce) {
  const auto expect_reached = [](const Network& network) {
    EXPECT_GE(total_both_ways(network), 0.98 * allreduce_bound(network, first(network.nodes())));
  };
  expect_reached(cables_of("torus:4x4"));
  expect_reached(cables_of("torus:3x3x3"));
  expect_reached(Network::of_shape(parse_shape("torus:4x4").shape, std::vector<double>{200, 50}));
  expect_reached(less_cable(cables_of("torus:4x4"), 0));
  expect_reached(less_node(less_node(less_node(cables_of("torus:4x4"), 11), 6), 5));
  const std::vector<int> an_l = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13};
  expect_reached(induced(cables_of("mesh:4x4"), an_l));
}

int depth_of(const PackedTree& tree, int nodes) {
  std::vector<int> depth(static_cast<std::size_t>(nodes));
  for (const auto& [parent, child] : tree.edges)
    depth[static_cast<std::size_t>(child)] = depth[static_cast<std::size_t>(parent)] + 1;
  return std::ranges::max(depth);
}

TEST(TreesBothWays, HaveTheirRootsInTheirMiddle) {
  const Network line = Network::of_shape(Shape({{9, false}}));
  const auto trees = trees_both_ways(line);
  ASSERT_EQ(trees.size(), 1U);
  EXPECT_EQ(trees.front().root, 4);
  EXPECT_EQ(depth_of(trees.front(), 9), 4);
}

TEST(TreesBothWays, AreAsFewAsCarryNearlyAll) {
  // 31 trees would carry 206.7 instead of 200, but every cable would have 15 of them.
  EXPECT_EQ(trees_both_ways(less_cable(cables_of("torus:4x4"), 0)).size(), 2U);
}

TEST(TreesBothWays, NeedConnectedHosts) {
  Network network;
  network.add_node("a");
  EXPECT_TRUE(trees_both_ways(network).empty());
  network.add_node("b");
  EXPECT_THROW(trees_both_ways(network), Error);
}

TEST(PackedTrees, AreTheSameOnEveryCall) {
  const Network network = less_cable(cables_of("torus:4x4"), 3);
  const std::vector<int> roots = {6};
  const auto once = packed_trees(network, roots);
  const auto again = packed_trees(network, roots);
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t tree = 0; tree < once.size(); ++tree)
    EXPECT_EQ(once[tree].edges, again[tree].edges);
}

TEST(PackedTrees, NeedConnectedHosts) {
  Network network;
  network.add_node("a");
  const std::vector<int> roots = {0};
  EXPECT_TRUE(packed_trees(network, roots).empty());
  network.add_node("b");
  EXPECT_THROW(packed_trees(network, roots), Error);
}

// Groups of two switches with two hosts each; cables of half the hosts' rate between all groups.
Network dragonfly(int groups, double rate) {
  Network network;
  const int hosts = 4 * groups;
  for (int host = 0; host < hosts; ++host) network.add_node("h" + std::to_string(host));
  std::vector<int> switches;
  for (int number = 0; number < 2 * groups; ++number) {
    switches.push_back(network.add_node("s" + std::to_string(number), Role::network_switch));
    for (const int host : {2 * number, 2 * number + 1})
      network.add_cable(host, switches.back(), rate);
    if (number % 2 == 1) network.add_cable(switches[switches.size() - 2], switches.back(), rate);
  }
  for (int one = 0; one < groups; ++one) {
    for (int other = one + 1; other < groups; ++other)
      network.add_cable(switches[static_cast<std::size_t>(2 * one + other % 2)],
                        switches[static_cast<std::size_t>(2 * other + one % 2)], rate / 2);
  }
  return network;
}

// By the simulator, which knows where messages meet; predictions are no surer than 3%.
TEST(Selection, OnFatTreesAndDragonfliesIsNeverAboveTheFlatTree) {
  constexpr double sure = 1.03;
  constexpr double rate = 12.5e6;
  const Network full = fat_tree(4, 4, 4, rate, rate);
  const Network tapered = fat_tree(4, 4, 2, rate, rate);
  for (const Network& network : {full, tapered, dragonfly(4, rate)}) {
    GroupCostModel known{GroupNodes::apart(16), {30e-6, 8e-8}, {1e-6, 2e-10}};
    const GroupCostModel unknown = known;
    known.nodes.network = network;
    for (const Operation operation : {Operation::broadcast, Operation::allreduce}) {
      for (const std::size_t bytes : {8U, 1U << 10U, 16U << 10U, 256U << 10U, 4U << 20U}) {
        SCOPED_TRACE(fmt::format("{} of {} bytes", to_string(operation), bytes));
        const Collective collective{.operation = operation, .count = bytes};
        const Choice choice = select(collective, known);
        const Call call{collective, known};
        const Algorithm* flat = find_algorithm("flat");
        EXPECT_LE(choice.seconds, sure * fastest(call, std::span(&flat, 1))->seconds)
            << choice.algorithm->name;
        // Nor above what would run if nothing were known of the network.
        const Choice blind = select(collective, unknown);
        EXPECT_LE(choice.seconds, sure * seconds_in_whole(call, blind))
            << choice.algorithm->name << " instead of " << blind.algorithm->name;
      }
    }
  }
}

TEST(PackedAlgorithm, ServesFatTreesThatAreNotLarge) {
  const auto settings_on = [](int leaves, int hosts_per_leaf) {
    GroupCostModel group{GroupNodes::apart(leaves * hosts_per_leaf), {30e-6, 8e-8}, {1e-6, 2e-10}};
    group.nodes.network = fat_tree(leaves, hosts_per_leaf, 2, 12.5e6, 12.5e6);
    const Collective collective{.operation = Operation::broadcast, .count = 1 << 20};
    return find_algorithm("packed")->settings(Call{collective, group}).size();
  };
  EXPECT_EQ(settings_on(4, 4), 1U);
  EXPECT_EQ(settings_on(8, 16), 1U);
  EXPECT_EQ(settings_on(8, 17), 0U);  // splitting off the switches would take too long
}

TEST(PackedAlgorithm, ServesDamagedNetworksWithAnyRanksPerNode) {
  const Network network = less_node(cables_of(Shape({{4, true}, {5, true}}), 12.5e6), 7);
  GroupCostModel cost_model{{}, {30e-6, 8e-8}, {1e-6, 2e-10}};
  int ranks = 0;
  for (int node = 0; node < network.nodes(); ++node) {
    auto& on_node = cost_model.nodes.ranks_of_node.emplace_back();
    for (int rank = 0; rank <= node % 3; ++rank) on_node.push_back(ranks++);
  }
  cost_model.nodes.network = network;
  const std::size_t bytes = 1 << 24;
  const std::vector<std::size_t> blocks(static_cast<std::size_t>(ranks),
                                        bytes / static_cast<std::size_t>(ranks));
  const Algorithm* packed = find_algorithm("packed");
  ASSERT_NE(packed, nullptr);
  const auto prove = [&](Operation operation, const Conditions& conditions, int root) {
    SCOPED_TRACE(to_string(operation));
    Collective collective{.operation = operation, .count = bytes, .root = root};
    const Call call{collective, cost_model};
    const auto choice = by_asking(call, *packed);
    ASSERT_TRUE(choice);
    const auto way = packed->build(call, conditions, choice->settings);
    EXPECT_NO_THROW(check(std::get<Forest>(way), conditions));
  };
  for (const int root : {0, 5, ranks - 1}) {
    prove(Operation::broadcast, Conditions::broadcast(ranks, bytes, root), root);
    prove(Operation::reduce, Conditions::reduce(ranks, bytes, root), root);
  }
  prove(Operation::allreduce, Conditions::allreduce(ranks, bytes), 0);
  prove(Operation::allgather, Conditions::allgather(blocks), 0);
  prove(Operation::reduce_scatter, Conditions::reduce_scatter(blocks), 0);
}

TEST(PackedAlgorithm, IsChosenForLongMessagesOnADamagedTorus) {
  const Network cut = less_cable(cables_of(Shape({{4, true}, {4, true}}), 12.5e6), 0);
  GroupCostModel cost_model{GroupNodes::apart(16), {30e-6, 8e-8}, {1e-6, 2e-10}};
  cost_model.nodes.network = cut;
  for (const Operation operation : {Operation::broadcast, Operation::reduce}) {
    const Collective collective{.operation = operation, .count = 16U << 20U};
    const Choice choice = select(collective, cost_model);
    EXPECT_EQ(choice.algorithm->name, "packed");
    EXPECT_EQ(choice.settings.colours, 3);
  }
}

TEST(PackedAlgorithm, OfGroupsThatAreFoundInADamagedNetwork) {
  Discovery discovery;
  discovery.network = less_cable(cables_of(Shape({{4, true}, {4, true}}), 12.5e6), 0);
  discovery.recognition = recognise(discovery.network);
  discovery.node_of_rank = first(16);
  const GroupNodes all = nodes_of_group(discovery, first(16));
  EXPECT_FALSE(all.shape);
  ASSERT_TRUE(all.network);
  EXPECT_EQ(all.network->cables(), 31);
  EXPECT_EQ(all.link_bytes_per_second, 12.5e6);
  const std::vector<int> apart = {0, 10};
  EXPECT_FALSE(nodes_of_group(discovery, apart).network);
}

TEST(TreeCache, AreThoseThatPackingGives) {
  TreeCache kept;
  const auto edges_of = [](const std::vector<PackedTree>& trees) {
    std::vector<std::pair<int, std::vector<Edge>>> edges;
    for (const PackedTree& tree : trees) edges.emplace_back(tree.root, tree.edges);
    return edges;
  };
  const Network square = Network::of_shape(Shape({{3, true}, {3, true}}));
  const Network line = Network::of_shape(Shape({{9, false}}));
  for (int time = 0; time < 2; ++time) {
    for (const Network& network : {square, line}) {
      for (const std::vector<int>& roots : {std::vector<int>{0}, {4}, {0, 1, 2, 3, 4, 5, 6, 7, 8}})
        EXPECT_EQ(edges_of(kept.get(network, roots, false)),
                  edges_of(packed_trees(network, roots)));
      EXPECT_EQ(edges_of(kept.get(network, {4}, true)), edges_of(trees_both_ways(network)));
    }
  }
}

}  // namespace packed_test
}  // namespace cuboid::detail
