#include "collectives/calibration/calibration.hpp"

#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>

#include "collectives/calibration/probe.hpp"
#include "collectives/calibration/probe_places.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "collectives/communicator/measured_parameters.hpp"
#include "models/messages/parameters_file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace calibration_test {

void expect_positive(const std::optional<Measured>& number, const char* what) {
  ASSERT_TRUE(number) << what;
  EXPECT_TRUE(std::isfinite(number->most)) << what;
  EXPECT_GT(number->value, 0) << what;
  EXPECT_GE(number->least, 0) << what;
  EXPECT_LE(number->least, number->value) << what;
  EXPECT_LE(number->value, number->most) << what;
}

class CalibrationTest : public testing::TestWithParam<int> {};

TEST_P(CalibrationTest, RanksOfANodeAreMeasured) {
  const int ranks = GetParam();
  std::atomic<int> reports = 0;
  std::array<std::string, 16> texts;
  run_ranks(
      ranks,
      [&](const Communicator& world) {
        const int steps = calibration_steps(world);
        int reported = 0;
        const Parameters parameters = calibrate(world, [&](const std::string&) { ++reported; });
        EXPECT_EQ(reported, steps);
        reports += reported;
        EXPECT_EQ(parameters.key, parameters_key(world));
        EXPECT_FALSE(parameters.between_nodes);
        EXPECT_FALSE(parameters.injection);
        ASSERT_TRUE(parameters.within_node);
        expect_positive(parameters.within_node->alpha, "alpha");
        expect_positive(parameters.within_node->beta, "beta");
        expect_positive(parameters.within_node->send_overhead, "send overhead");
        expect_positive(parameters.within_node->receive_overhead, "receive overhead");
        expect_positive(parameters.within_node->gap, "gap");
        expect_positive(parameters.message_overhead, "overhead");
        EXPECT_GT(parameters.within_node->sizes.size(), 1U);
        EXPECT_EQ(parameters.source.has_value(), ranks > 2);
        if (parameters.source) expect_positive(parameters.source, "rate to all readers");
        const double ranks_per_core = world.state().cost_model.ranks_per_core;
        EXPECT_EQ(parameters.context_switch.has_value(), ranks_per_core > 1);
        texts[static_cast<std::size_t>(world.rank())] = to_json(parameters);
      },
      Environment{});
  EXPECT_GT(reports, 0);
  for (int rank = 1; rank < ranks; ++rank)
    EXPECT_EQ(texts[static_cast<std::size_t>(rank)], texts[0]) << rank;
  EXPECT_EQ(to_json(parse_parameters({"p.json", texts[0]})), texts[0]);
}

INSTANTIATE_TEST_SUITE_P(Ranks, CalibrationTest, testing::Values(2, 3, 5));

TEST(Calibration, ASingleRankIsRefused) {
  run_ranks(
      1, [](const Communicator& world) { EXPECT_THROW(calibrate(world), Error); }, Environment{});
}

TEST(Probe, SeveralRanksAnswer) {
  run_ranks(
      4,
      [](const Communicator& world) {
        if (world.rank() == 1) {
          Prober prober(world, {0, 2});
          for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{100'000}}) {
            const auto bursts = prober.burst({5, bytes}, 3);
            ASSERT_EQ(bursts.size(), 3U);
            for (const BurstSeconds& burst : bursts) {
              EXPECT_GT(burst.handing_over, 0);
              EXPECT_LE(burst.handing_over, burst.total);
            }
          }
          const auto taken = prober.take_in(7, 2);
          ASSERT_EQ(taken.size(), 4U);  // two ranks, twice each
          for (const double seconds : taken) EXPECT_GT(seconds, 0);
        } else if (world.rank() != 3) {
          answer(world, 1);
        }
        const double hop = token_hop(world, 3);
        EXPECT_EQ(hop > 0, world.rank() == 0);
      },
      Environment{});
}

GroupNodes on_torus(int rows, int columns, int ranks_per_node, double rate) {
  GroupNodes nodes;
  nodes.shape = Shape({{rows, true}, {columns, true}});
  const std::array rates = {rate, rate};
  nodes.network = Network::of_shape(*nodes.shape, rates);
  nodes.link_bytes_per_second = rate;
  for (int node = 0, rank = 0; node < rows * columns; ++node) {
    auto& ranks = nodes.ranks_of_node.emplace_back();
    for (int i = 0; i < ranks_per_node; ++i) ranks.push_back(rank++);
  }
  return nodes;
}

TEST(ProbePlaces, PairsAreNeighboursOnDifferentCables) {
  for (const int ranks_per_node : {1, 3}) {
    const GroupNodes nodes = on_torus(4, 3, ranks_per_node, 1e7);
    const auto node_of_rank = nodes.node_of_rank();
    const auto pairs = pairs_between_nodes(nodes, 3);
    ASSERT_EQ(pairs.size(), 3U);
    std::set<int> asking;
    for (const ProbePlace& pair : pairs) {
      asking.insert(pair.asking);
      ASSERT_EQ(pair.answering.size(), 1U);
      const int from = node_of_rank[static_cast<std::size_t>(pair.asking)];
      const int to = node_of_rank[static_cast<std::size_t>(pair.answering[0])];
      const auto links = nodes.network->links_from(from);
      EXPECT_TRUE(std::ranges::any_of(links, [&](int link) {
        return nodes.network->links()[static_cast<std::size_t>(link)].to == to;
      }));
    }
    EXPECT_EQ(asking.size(), 3U);
    const auto inside = pairs_within_nodes(nodes, 2);
    EXPECT_EQ(inside.size(), ranks_per_node == 1 ? 0U : 2U);
    for (const ProbePlace& pair : inside) {
      EXPECT_EQ(node_of_rank[static_cast<std::size_t>(pair.asking)],
                node_of_rank[static_cast<std::size_t>(pair.answering[0])]);
      EXPECT_NE(pair.asking, pair.answering[0]);
    }
  }
}

TEST(ProbePlaces, OnlyTheSlowestCablesAreMeasured) {
  GroupNodes nodes = GroupNodes::apart(3);
  Network network;
  for (const char* name : {"a", "b", "c"}) network.add_node(name);
  network.add_cable(0, 1, 1e9);
  network.add_cable(1, 2, 1e8);
  nodes.network = network;
  nodes.link_bytes_per_second = 1e8;
  EXPECT_EQ(pairs_between_nodes(nodes, 3), (std::vector<ProbePlace>{{1, {2}}}));
}

TEST(ProbePlaces, TheHubHasMostNeighbours) {
  EXPECT_EQ(hub(on_torus(4, 4, 1, 1e7))->answering.size(), 4U);
  EXPECT_EQ(hub(on_torus(1, 2, 1, 1e7)), std::nullopt);
  GroupNodes nodes = GroupNodes::apart(4);
  EXPECT_EQ(hub(nodes), std::nullopt);
  Network star;
  for (const char* name : {"a", "b", "c", "d"}) star.add_node(name);
  for (const int leaf : {0, 1, 3}) star.add_cable(2, leaf);
  nodes.network = star;
  EXPECT_EQ(hub(nodes), (ProbePlace{2, {0, 1, 3}}));
}

TEST(ProbePlaces, ADistantPairIsAsFarApartAsAny) {
  const auto pair = distant_pair(on_torus(4, 5, 2, 1e7));
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->cables, 4);
  EXPECT_EQ(pair->place.asking, 0);
  EXPECT_EQ(on_torus(4, 5, 2, 1e7).shape->distance(0, pair->place.answering.at(0) / 2), 4);
  EXPECT_FALSE(distant_pair(on_torus(3, 1, 1, 1e7)));
  EXPECT_FALSE(distant_pair(GroupNodes::apart(5)));
}

// All exchange with all that are theirs: each names the other.
TEST(ProbePlaces, RanksAcrossCablesNameEachOther) {
  GroupNodes uneven = on_torus(3, 2, 2, 1e7);
  uneven.ranks_of_node[4].pop_back();
  uneven.ranks_of_node[5] = {9, 10};
  for (const GroupNodes& nodes :
       {on_torus(4, 4, 1, 1e7), on_torus(3, 3, 2, 1e7), on_torus(1, 2, 1, 1e7), uneven,
        GroupNodes::apart(2), GroupNodes::apart(5)}) {
    for (int rank = 0; rank < nodes.ranks(); ++rank) {
      const auto peers = ranks_across_cables(nodes, rank);
      for (const int peer : peers) {
        EXPECT_NE(peer, rank);
        EXPECT_EQ(std::ranges::count(ranks_across_cables(nodes, peer), rank), 1);
      }
    }
  }
  EXPECT_EQ(ranks_across_cables(on_torus(4, 4, 2, 1e7), 1), (std::vector<int>{3, 7, 9, 25}));
  EXPECT_EQ(ranks_across_cables(GroupNodes::apart(5), 0), (std::vector<int>{1, 4}));
}

TEST(Probe, AllRanksExchangeAtOnce) {
  for (const int ranks : {2, 3, 5}) {
    run_ranks(
        ranks,
        [](const Communicator& world) {
          const std::vector<int> peers =
              ranks_across_cables(GroupNodes::apart(world.size()), world.rank());
          for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{20'000}})
            EXPECT_GT(exchange_with_all(world, peers, {4, bytes}, 3), 0);
        },
        Environment{});
  }
}

TEST(ProbePlaces, ThroughSwitchesAnyTwoNodesArePairs) {
  GroupNodes nodes = GroupNodes::apart(3);
  EXPECT_EQ(pairs_between_nodes(nodes, 3).size(), 2U);
  Network network;
  for (const char* name : {"a", "b", "c"}) network.add_node(name);
  const int middle = network.add_node("switch", Role::network_switch);
  for (int node = 0; node < 3; ++node) network.add_cable(node, middle, 1e9);
  nodes.network = network;
  nodes.link_bytes_per_second = 1e9;
  EXPECT_EQ(pairs_between_nodes(nodes, 3).size(), 2U);
  EXPECT_EQ(hub(nodes), std::nullopt);
  EXPECT_FALSE(distant_pair(nodes));
  EXPECT_TRUE(pairs_between_nodes(GroupNodes::one_node(4), 3).empty());
}

}  // namespace calibration_test
}  // namespace cuboid::detail
