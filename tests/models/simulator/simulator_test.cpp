#include "models/simulator/simulator.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace simulator_test {

using Id = TransferGraph::Id;

constexpr LogGP network{
    .latency = 5e-6, .send_overhead = 2e-6, .receive_overhead = 3e-6, .gap = 0, .byte_gap = 1e-8};
constexpr LogGP bytes_only{.byte_gap = 1e-8};

Platform ring(int nodes, const LogGP& log_gp) {
  return Platform::one_rank_per_node(Routes::dimension_ordered(Shape::torus(std::array{nodes})),
                                     log_gp);
}

// A message in segments along ranks 0, 1, 2, …
TransferGraph pipelined_chain(int ranks, int segments, double segment_bytes) {
  TransferGraph graph(ranks);
  for (int segment = 0; segment < segments; ++segment) {
    for (int rank = 1; rank < ranks; ++rank) {
      const auto before = static_cast<Id>(graph.size()) - 1;
      graph.add({rank - 1, rank, segment_bytes},
                rank == 1 ? std::vector<Id>{} : std::vector<Id>{before});
    }
  }
  return graph;
}

TEST(Simulator, AMessageTakesWhatLogGPSays) {
  TransferGraph graph(2);
  graph.add({0, 1, 1000}, {});
  const SimulatedRun run = simulate(graph, ring(2, network));
  EXPECT_DOUBLE_EQ(run.seconds, message_seconds(network, 1000));
  EXPECT_DOUBLE_EQ(run.transfers[0].departed, 2e-6);
  EXPECT_DOUBLE_EQ(run.transfers[0].drained, 12e-6);
}

TEST(Simulator, EveryFurtherLinkAddsAHop) {
  TransferGraph graph(8);
  graph.add({0, 1, 1000}, {});
  graph.add({2, 5, 1000}, {});
  Platform platform = ring(8, network);
  platform.hop_seconds = 1e-6;
  const SimulatedRun run = simulate(graph, platform);
  EXPECT_DOUBLE_EQ(run.transfers[0].done, message_seconds(network, 1000));
  EXPECT_DOUBLE_EQ(run.transfers[1].done, message_seconds(network, 1000) + 2e-6);
}

TEST(Simulator, NothingTakesNoTime) {
  EXPECT_EQ(simulate(TransferGraph(3), ring(3, network)).seconds, 0);
}

TEST(Simulator, AChainIsTheClosedForm) {
  for (const int ranks : {2, 3, 8, 17}) {
    for (const int segments : {1, 2, 50}) {
      const TransferGraph graph = pipelined_chain(ranks, segments, 8192);
      const double steps = ranks - 1 + segments - 1;
      EXPECT_NEAR(simulate(graph, ring(ranks, bytes_only)).seconds, steps * 8192e-8, 1e-9);
      // Latency and overheads are met once on the way, not once per segment.
      const double step = message_seconds(network, 8192);
      EXPECT_NEAR(simulate(graph, ring(ranks, network)).seconds,
                  (ranks - 1) * step + (segments - 1) * 8192e-8, 1e-9);
      // A link that is busy for α as well as for the bytes: Hockney's model (Quintin et al. 2013,
      // §II).
      Platform busy = ring(ranks, bytes_only);
      busy.segment_seconds = 1e-4;
      EXPECT_NEAR(simulate(graph, busy).seconds, steps * (1e-4 + 8192e-8), 1e-9);
    }
  }
}

TEST(Simulator, ABinomialTreeIsTheClosedForm) {
  for (const int dimensions : {1, 3, 6}) {
    const int ranks = 1 << dimensions;
    TransferGraph graph(ranks);
    std::vector<std::vector<Id>> had(static_cast<std::size_t>(ranks));
    for (int distance = ranks / 2; distance >= 1; distance /= 2) {
      for (int rank = 0; rank < ranks; rank += 2 * distance) {
        // A rank sends after what it got, and one message after the other.
        auto& mine = had[static_cast<std::size_t>(rank)];
        const Id id = graph.add({rank, rank + distance, 5000}, mine);
        mine.push_back(id);
        had[static_cast<std::size_t>(rank + distance)].push_back(id);
      }
    }
    const Platform cube = Platform::one_rank_per_node(
        Routes::dimension_ordered(Shape::hypercube(dimensions)), network);
    EXPECT_NEAR(simulate(graph, cube).seconds, dimensions * message_seconds(network, 5000), 1e-12);
  }
}

TEST(Simulator, ARingIsTheClosedForm) {
  for (const int ranks : {2, 3, 7, 16}) {
    TransferGraph graph(ranks);
    for (int step = 0; step < ranks - 1; ++step) {
      for (int rank = 0; rank < ranks; ++rank) {
        // After what came from the rank below in the step before.
        const auto before = static_cast<Id>((step - 1) * ranks + (rank + ranks - 1) % ranks);
        graph.add({rank, (rank + 1) % ranks, 3000},
                  step == 0 ? std::vector<Id>{} : std::vector<Id>{before});
      }
    }
    EXPECT_NEAR(simulate(graph, ring(ranks, bytes_only)).seconds, (ranks - 1) * 3000e-8, 1e-12);
  }
}

TEST(Simulator, MessagesOverOneLinkShareIt) {
  // 0 → 2 and 1 → 2 on a line share the link from 1 to 2.
  TransferGraph graph(3);
  graph.add({0, 2, 1000}, {});
  graph.add({1, 2, 3000}, {});
  const Platform line = Platform::one_rank_per_node(
      Routes::dimension_ordered(Shape::mesh(std::array{3})), bytes_only);
  const SimulatedRun run = simulate(graph, line);
  EXPECT_DOUBLE_EQ(run.transfers[0].done, 2000e-8);
  EXPECT_DOUBLE_EQ(run.transfers[1].done, 4000e-8);
}

TEST(Simulator, MessagesOfAPairFollowOneAnother) {
  TransferGraph graph(2);
  graph.add({0, 1, 1000}, {});
  graph.add({0, 1, 1000}, {});
  const SimulatedRun run = simulate(graph, ring(2, bytes_only));
  EXPECT_DOUBLE_EQ(run.transfers[0].done, 1000e-8);
  EXPECT_DOUBLE_EQ(run.transfers[1].done, 2000e-8);
}

TEST(Simulator, NodesHaveLimits) {
  TransferGraph graph(3);
  graph.add({0, 1, 1000}, {});
  graph.add({0, 2, 1000}, {});
  Platform platform = ring(3, bytes_only);
  EXPECT_DOUBLE_EQ(simulate(graph, platform).seconds, 1000e-8);
  platform.injection_bytes_per_second = 1e8;
  EXPECT_DOUBLE_EQ(simulate(graph, platform).seconds, 2000e-8);
}

TEST(Simulator, LinksThatCatchUpHideTheFillingOfAPipeline) {
  // Whatever the depth, once the first segment is through the last link has caught up.
  const TransferGraph graph = pipelined_chain(6, 20, 1000);
  Platform line = ring(6, bytes_only);
  EXPECT_NEAR(simulate(graph, line).seconds, 24 * 1000e-8, 1e-12);
  line.burst_bytes = 10000;
  EXPECT_NEAR(simulate(graph, line).seconds, 20 * 1000e-8, 0.02 * 20 * 1000e-8);
  // A link waits for one segment, whatever its depth: half of it cannot be caught up.
  line.burst_bytes = 500;
  EXPECT_NEAR(simulate(graph, line).seconds, 22 * 1000e-8, 0.02 * 22 * 1000e-8);
}

TEST(Simulator, LinksThatWereIdleCarryThatMuchAtOnce) {
  TransferGraph graph(2);
  const Id work = graph.add({0, 0, 0, 100e-6}, {});
  graph.add({0, 1, 30000}, {work});
  Platform line = ring(2, bytes_only);
  line.burst_bytes = 20000;  // the link was idle for 10000 bytes
  EXPECT_NEAR(simulate(graph, line).seconds, 300e-6, 2e-6);
  line.burst_bytes = 4000;
  EXPECT_NEAR(simulate(graph, line).seconds, 360e-6, 2e-6);
  TransferGraph at_once(2);
  at_once.add({0, 1, 30000}, {});
  EXPECT_NEAR(simulate(at_once, line).seconds, 300e-6, 2e-6);
}

TEST(Simulator, AProcessorDoesOneThingAtATime) {
  constexpr LogGP slow{.send_overhead = 10, .gap = 12};
  TransferGraph graph(3);
  graph.add({0, 1, 0}, {});
  graph.add({0, 2, 0}, {});
  graph.add({0, 0, 0, 5}, {});
  Platform platform = Platform::one_rank_per_node(
      Routes::dimension_ordered(Shape::torus(std::array{3}), std::array{1e9}), slow);
  const SimulatedRun run = simulate(graph, platform);
  EXPECT_DOUBLE_EQ(run.transfers[0].done, 10);
  EXPECT_DOUBLE_EQ(run.transfers[1].done, 22);
  EXPECT_DOUBLE_EQ(run.transfers[2].done, 29);
}

TEST(Simulator, WithinANodeTheReceiverCopies) {
  TransferGraph graph(3);
  graph.add({0, 2, 1000}, {});
  graph.add({1, 2, 1000}, {});
  Platform platform = ring(2, bytes_only);
  platform.node_of_rank = {0, 0, 0};
  platform.within_node = {.latency = 1e-6, .byte_gap = 1e-9};
  const SimulatedRun run = simulate(graph, platform);
  EXPECT_DOUBLE_EQ(run.transfers[0].done, 2e-6);
  EXPECT_DOUBLE_EQ(run.transfers[1].done, 3e-6);
  EXPECT_DOUBLE_EQ(std::accumulate(run.link_bytes.begin(), run.link_bytes.end(), 0.0), 0);
}

TransferGraph random_graph(int ranks, int transfers, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  TransferGraph graph(ranks);
  for (int transfer = 0; transfer < transfers; ++transfer) {
    std::vector<Id> after;
    for (int count = below(3); count > 0 && transfer > 0; --count)
      after.push_back(static_cast<Id>(below(transfer)));
    graph.add({below(ranks), below(ranks), static_cast<double>(below(20000))}, after);
  }
  return graph;
}

// Every transfer is done once and in its turn; what links carried is what was sent over them; and
// between any two moments no link carried more than its rate allows.
TEST(Simulator, BytesAreConserved) {
  const Shape shape = Shape::torus(std::array{3, 4});
  const Routes routes = Routes::dimension_ordered(shape, std::array{1e8, 2e8});
  const Platform platform =
      Platform::one_rank_per_node(routes, {.latency = 1e-6, .send_overhead = 1e-6});
  const TransferGraph graph = random_graph(12, 150, 7);
  const SimulatedRun run = simulate(graph, platform);
  const auto links = routes.network().links();
  std::vector<double> sent(links.size(), 0);
  std::vector<std::vector<Id>> users(links.size());
  for (Id id = 0; id < graph.size(); ++id) {
    const TransferTimes& times = run.transfers[id];
    EXPECT_LE(times.ready, times.departed);
    EXPECT_LE(times.departed, times.drained);
    EXPECT_LE(times.drained, times.done);
    EXPECT_TRUE(graph[id].from == graph[id].to || times.done > 0);
    for (const Id earlier : graph.after(id)) EXPECT_LE(run.transfers[earlier].done, times.ready);
    std::vector<int> route;
    routes.append(graph[id].from, graph[id].to, route);
    for (const int link : route) {
      sent[static_cast<std::size_t>(link)] += graph[id].bytes;
      users[static_cast<std::size_t>(link)].push_back(id);
    }
  }
  double busiest = 0;
  for (std::size_t link = 0; link < links.size(); ++link)
    busiest = std::max(busiest, sent[link] / links[link].bytes_per_second);
  EXPECT_NEAR(run.busiest_link_seconds, busiest, 1e-12);
  for (std::size_t link = 0; link < links.size(); ++link) {
    EXPECT_NEAR(run.link_bytes[link], sent[link], 1e-6);
    for (const Id first : users[link]) {
      for (const Id last : users[link]) {
        const double from = run.transfers[first].departed;
        const double until = run.transfers[last].drained;
        if (until <= from) continue;
        double inside = 0;
        for (const Id id : users[link]) {
          if (run.transfers[id].departed >= from && run.transfers[id].drained <= until)
            inside += graph[id].bytes;
        }
        EXPECT_LE(inside, (until - from) * links[link].bytes_per_second * (1 + 1e-9) + 1e-3);
      }
    }
  }
}

TEST(Simulator, IsTheSameEveryTime) {
  const Platform platform = Platform::one_rank_per_node(
      Routes::dimension_ordered(Shape::torus(std::array{3, 3, 3})), network);
  const TransferGraph graph = random_graph(27, 2000, 3);
  const SimulatedRun once = simulate(graph, platform);
  const SimulatedRun again = simulate(graph, platform);
  for (Id id = 0; id < graph.size(); ++id)
    EXPECT_EQ(once.transfers[id].done, again.transfers[id].done);
}

TEST(Simulator, SaysWhatItLacks) {
  TransferGraph graph(2);
  EXPECT_THROW(graph.add({0, 2, 1}, {}), Error);
  EXPECT_THROW(graph.add({0, 1, -1}, {}), Error);
  EXPECT_THROW(graph.add({0, 1, 1}, {0}), Error);
  graph.add({0, 1, 1}, {});
  EXPECT_THROW(simulate(graph, ring(2, {})), Error);
  Platform platform = ring(2, network);
  platform.node_of_rank = {0};
  EXPECT_THROW(simulate(graph, platform), Error);
}

// Ranks of one node, whose copies share what they read from, and the node's memory.
class CopiesWithinANode : public testing::Test {
 protected:
  static constexpr double bytes = 1e6;
  static constexpr double alone = bytes * 1e-9;

  CopiesWithinANode() : platform_(one_node(8)) {}

  static Platform one_node(int ranks) {
    Network network;
    network.add_node("node");
    return {Routes::shortest(std::move(network)),
            std::vector<int>(static_cast<std::size_t>(ranks), 0),
            {},
            {.latency = 0, .byte_gap = 1e-9}};
  }

  static TransferGraph from_one_to(int readers) {
    TransferGraph graph(8);
    for (int reader = 1; reader <= readers; ++reader) graph.add({0, reader, bytes}, {});
    return graph;
  }
  static TransferGraph in_pairs(int pairs) {
    TransferGraph graph(8);
    for (int pair = 0; pair < pairs; ++pair) graph.add({2 * pair, 2 * pair + 1, bytes}, {});
    return graph;
  }

  Platform platform_;
};

TEST_F(CopiesWithinANode, TakeEachReaderItsTimeWhereNothingIsShared) {
  EXPECT_NEAR(simulate(from_one_to(7), platform_).seconds, alone, 1e-12);
}

TEST_F(CopiesWithinANode, OfOneSourceShareWhatItDelivers) {
  platform_.source_bytes_per_second = 2e9;
  EXPECT_NEAR(simulate(from_one_to(2), platform_).seconds, alone, 1e-12);
  EXPECT_NEAR(simulate(from_one_to(6), platform_).seconds, 3 * alone, 1e-12);
  EXPECT_NEAR(simulate(in_pairs(4), platform_).seconds, alone, 1e-12);
}

TEST_F(CopiesWithinANode, OfAllShareTheMemory) {
  platform_.memory_bytes_per_second = 2e9;
  EXPECT_NEAR(simulate(in_pairs(4), platform_).seconds, 2 * alone, 1e-12);
  // Two at a time at full rate, whoever is first: a copy that ends leaves its share to others.
  TransferGraph graph = in_pairs(2);
  graph.add({4, 5, bytes / 2}, {});
  EXPECT_NEAR(simulate(graph, platform_).seconds, 1.25 * alone, 1e-12);
}

TEST_F(CopiesWithinANode, KeepTheReaderBusy) {
  platform_.source_bytes_per_second = 0.5e9;
  platform_.within_node.receive_overhead = alone;
  TransferGraph graph(8);
  graph.add({0, 1, bytes, alone}, {});  // an overhead, a copy at half the rate, and work
  graph.add({2, 1, bytes}, {});         // and then the next
  EXPECT_NEAR(simulate(graph, platform_).seconds, (1 + 2 + 1 + 1 + 2) * alone, 1e-12);
}

TEST_F(CopiesWithinANode, TakeSharedCoresAsLong) {
  platform_.source_bytes_per_second = 0.5e9;
  platform_.cores = 1;
  TransferGraph graph(8);
  graph.add({0, 1, bytes, alone}, {});
  graph.add({2, 3, bytes}, {});
  EXPECT_NEAR(simulate(graph, platform_).seconds, (2 + 1 + 2) * alone, 1e-12);
}

}  // namespace simulator_test
}  // namespace cuboid::detail
