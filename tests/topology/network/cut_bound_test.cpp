#include "topology/network/cut_bound.hpp"

#include <cuboid/shape.hpp>

#include "topology/discovery/induced.hpp"
#include "topology/network/max_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace cut_bound_test {

constexpr double infinite = std::numeric_limits<double>::infinity();

Network cables_of_100(const char* spec) {
  const Shape shape = parse_shape(spec).shape;
  return Network::of_shape(
      shape, std::vector<double>(static_cast<std::size_t>(shape.dimensions()), 100.0));
}

std::vector<int> first(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// A connected network of hosts with random cables of whole rates, and maybe switches.
Network random_network(std::mt19937& random, int hosts, int switches) {
  Network network;
  for (int node = 0; node < hosts + switches; ++node)
    network.add_node(std::to_string(node), node < hosts ? Role::host : Role::network_switch);
  const auto rate = [&] { return static_cast<double>(1 + random() % 5); };
  for (int node = 1; node < network.nodes(); ++node)
    network.add_cable(static_cast<int>(random() % static_cast<unsigned>(node)), node, rate());
  for (int further = 0; further < network.nodes(); ++further) {
    const auto nodes = static_cast<unsigned>(network.nodes());
    const int a = static_cast<int>(random() % nodes);
    const int b = static_cast<int>(random() % nodes);
    if (a != b) network.add_cable(a, b, rate());
  }
  return network;
}

// The links out of each set of nodes, a set being the bits of a number.
template <class Act>
void for_each_cut(const Network& network, const Act& act) {
  for (unsigned set = 1; set + 1 < 1U << network.nodes(); ++set) {
    double links = 0;
    for (const Link& link : network.links()) {
      if ((set >> link.from & 1U) != 0 && (set >> link.to & 1U) == 0)
        links += link.bytes_per_second;
    }
    act(set, links);
  }
}

TEST(MaxFlow, EqualsTheLeastOfAllCuts) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const Network network = random_network(random, 2 + trial % 6, 0);
    MaxFlow flow(network.nodes());
    for (const Link& link : network.links())
      flow.add_arc(link.from, link.to, link.bytes_per_second);
    const int sink = network.nodes() - 1;
    double least = infinite;
    for_each_cut(network, [&](unsigned set, double links) {
      if ((set & 1U) != 0 && (set >> sink & 1U) == 0) least = std::min(least, links);
    });
    EXPECT_EQ(flow.between(0, sink), least);
    double across = 0;
    for (const Link& link : network.links()) {
      if (flow.source_side()[static_cast<std::size_t>(link.from)] &&
          !flow.source_side()[static_cast<std::size_t>(link.to)])
        across += link.bytes_per_second;
    }
    EXPECT_EQ(across, least);
    EXPECT_EQ(flow.between(0, sink, 1), 1);
  }
}

TEST(CutBound, OfATorus) {
  const Network torus = cables_of_100("torus:4x4");
  EXPECT_EQ(broadcast_bound(torus, 5, first(16)), 400);
  EXPECT_NEAR(allgather_bound(torus, first(16)), 400 * 16 / 15.0, 1e-6);
  EXPECT_NEAR(allreduce_bound(torus, first(16)), 200 * 16 / 15.0, 1e-6);
  EXPECT_NEAR(gather_bound(torus, 3, first(16)), 400 * 16 / 15.0, 1e-6);
}

TEST(CutBound, SeesCutsRoundManyNodes) {
  // Two squares joined by one cable: half the blocks must pass it.
  Network dumbbell;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) dumbbell.add_node(name);
  for (const int square : {0, 4}) {
    for (int i = 0; i < 4; ++i) {
      for (int j = i + 1; j < 4; ++j) dumbbell.add_cable(square + i, square + j, 100);
    }
  }
  dumbbell.add_cable(0, 4, 100);
  EXPECT_EQ(broadcast_bound(dumbbell, 1, first(8)), 100);
  EXPECT_NEAR(allgather_bound(dumbbell, first(8)), 200, 1e-6);
  EXPECT_NEAR(gather_bound(dumbbell, 7, first(8)), 200, 1e-6);
  EXPECT_EQ(allreduce_bound(dumbbell, first(8)), 100);
}

TEST(CutBound, OfALineIsNotHalvedForAnAllReduce) {
  EXPECT_EQ(allreduce_bound(cables_of_100("mesh:4"), first(4)), 100);
}

TEST(CutBound, IsThatOfTheWorstOfAllCuts) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 60; ++trial) {
    const int hosts = 2 + trial % 5;
    const Network network = random_network(random, hosts, trial % 3);
    std::vector<int> blocks = first(hosts);
    for (int more = 0; more < trial % 4; ++more) blocks.push_back(more % hosts);
    double broadcast = infinite;
    double allgather = infinite;
    double gather = infinite;
    for_each_cut(network, [&](unsigned set, double links) {
      const auto inside = static_cast<double>(
          std::ranges::count_if(blocks, [&](int host) { return (set >> host & 1U) != 0; }));
      const auto all = static_cast<double>(blocks.size());
      if (inside == 0 || inside == all) return;
      allgather = std::min(allgather, links * all / inside);
      if ((set & 1U) == 0) gather = std::min(gather, links * all / inside);
      if ((set & 1U) != 0) broadcast = std::min(broadcast, links);
    });
    EXPECT_EQ(broadcast_bound(network, 0, blocks), broadcast);
    EXPECT_NEAR(allgather_bound(network, blocks), allgather, 1e-6);
    EXPECT_NEAR(gather_bound(network, 0, blocks), gather, 1e-6);
  }
}

TEST(CutBound, IsUnknownWithoutRatesAndInfiniteForOneHost) {
  const Network unknown = Network::of_shape(parse_shape("torus:4").shape);
  EXPECT_EQ(broadcast_bound(unknown, 0, first(4)), 0);
  EXPECT_EQ(allgather_bound(unknown, first(4)), 0);
  EXPECT_EQ(allreduce_bound(unknown, first(4)), 0);
  const Network known = cables_of_100("torus:4");
  const std::vector<int> one_host = {2, 2};
  EXPECT_EQ(broadcast_bound(known, 2, one_host), infinite);
  EXPECT_EQ(allgather_bound(known, one_host), infinite);
  EXPECT_EQ(allreduce_bound(known, one_host), infinite);
  EXPECT_EQ(alltoall_bound(known, one_host), infinite);
}

TEST(Induced, HasTheHostsInOrderAndAllSwitches) {
  Network star;
  for (const char* name : {"a", "b", "c"}) star.add_node(name);
  const int middle = star.add_node("switch", Role::network_switch);
  for (const int host : {0, 1, 2}) star.add_cable(host, middle, 10 * (host + 1));
  star.add_cable(0, 1, 7);
  const std::vector<int> hosts = {2, 0};
  const Network part = induced(star, hosts);
  ASSERT_EQ(part.nodes(), 3);
  EXPECT_EQ(part.name(0), "c");
  EXPECT_EQ(part.name(1), "a");
  EXPECT_EQ(part.role(2), Role::network_switch);
  ASSERT_EQ(part.cables(), 2);
  EXPECT_EQ(broadcast_bound(part, 0, first(2)), 10);
}

TEST(NetworkBetween, IsThereWhereCablesConnectTheHosts) {
  Discovery discovery;
  discovery.network = cables_of_100("mesh:5");
  EXPECT_FALSE(network_between(discovery, first(2))) << "no cables known";
  discovery.recognition = recognise(discovery.network);
  const std::vector<int> neighbours = {3, 2, 4};
  ASSERT_TRUE(network_between(discovery, neighbours));
  EXPECT_EQ(network_between(discovery, neighbours)->cables(), 2);
  const std::vector<int> apart = {0, 2};
  EXPECT_FALSE(network_between(discovery, apart));
}

}  // namespace cut_bound_test
}  // namespace cuboid::detail
