#include "models/simulator/shared_cores.hpp"

#include "models/simulator/simulator.hpp"

#include <array>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace shared_cores_test {

TEST(SharedCores, RanksTakeTurnsInTheOrderInWhichTheyCame) {
  SharedCores cores(3, 1, 10);
  const auto first = cores.add(2, {1, 20}, 0);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->rank, 2);
  EXPECT_EQ(first->end, 11);
  EXPECT_FALSE(cores.add(0, {2, 0}, 1));
  EXPECT_FALSE(cores.add(1, {3, 10}, 2));
  EXPECT_FALSE(cores.add(2, {4, 21}, 3));  // while it has its core

  EXPECT_EQ(cores.finish(2), 20U);
  const auto second = cores.go_on(2, 11);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->rank, 2);
  EXPECT_EQ(second->end, 15);  // without waking up
  EXPECT_EQ(cores.finish(2), 21U);
  const auto third = cores.go_on(2, 15);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->rank, 0);
  EXPECT_EQ(third->end, 27);
}

TEST(SharedCores, AnIdleCoreIsTakenAtOnce) {
  SharedCores cores(3, 2, 1);
  ASSERT_TRUE(cores.add(0, {5, 0}, 0));
  ASSERT_TRUE(cores.add(1, {5, 1}, 0));
  EXPECT_FALSE(cores.add(2, {5, 2}, 0));
  EXPECT_EQ(cores.finish(0), 0U);
  EXPECT_EQ(cores.go_on(0, 6)->rank, 2);
  EXPECT_EQ(cores.finish(1), 1U);
  EXPECT_FALSE(cores.go_on(1, 6));
  EXPECT_EQ(cores.add(1, {5, 1}, 7)->end, 13);
}

// One message from each rank to the next, all on one core: context switches and both ends' work in
// a row.
TEST(SharedCores, OfASimulationAreBusyWhileRanksWait) {
  constexpr int ranks = 4;
  TransferGraph graph(ranks);
  for (int rank = 0; rank < ranks; ++rank) graph.add({rank, (rank + 1) % ranks, 100}, {});
  Platform platform = Platform::one_rank_per_node(
      Routes::dimension_ordered(Shape::torus(std::array{ranks})),
      {.latency = 0, .send_overhead = 2, .receive_overhead = 3, .gap = 0, .byte_gap = 1e-9});
  platform.context_switch_seconds = 10;
  platform.core_byte_seconds = 0.01;
  EXPECT_NEAR(simulate(graph, platform).seconds, 2 + 1 + 3 + 1, 1e-6);  // each on its own
  platform.cores = 1;
  const double work = ranks * (2 + 1 + 3 + 1);
  EXPECT_GE(simulate(graph, platform).seconds, work + ranks * 10);
  EXPECT_LE(simulate(graph, platform).seconds, work + 2 * ranks * 10 + 1e-6);
  platform.cores = ranks;
  EXPECT_LE(simulate(graph, platform).seconds, 2 + 1 + 3 + 1 + 2 * 10 + 1e-6);
}

}  // namespace shared_cores_test
}  // namespace cuboid::detail
