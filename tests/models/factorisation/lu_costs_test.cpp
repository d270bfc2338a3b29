// LU's cost, summed over its schedule, against what can be told otherwise.

#include "models/factorisation/lu_costs.hpp"

#include "models/multiplication/lower_bounds.hpp"

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace {

TEST(LuCosts, OneRankSendsNothing) {
  for (const LuPivotCost pivots :
       {LuPivotCost::none, LuPivotCost::tournament, LuPivotCost::partial}) {
    EXPECT_EQ(lu_communication({1000, 1000, 32, 1, 1}, pivots, 8).total().words, 0);
    EXPECT_EQ(lu_communication({1000, 1000, 32, 1, 1}, pivots, 8).total().messages, 0);
  }
}

TEST(LuCosts, TwoRanksSideBySideShareTheLowerTriangle) {
  // Every element of L, and the diagonal blocks whole, cross once; half of them from each rank.
  const double n = 64, block = 8;
  const double lower = (n * n - n * block) / 2, diagonal = n * block;
  const auto cost = lu_communication({64, 64, 8, 1, 2}, LuPivotCost::none, 8);
  EXPECT_DOUBLE_EQ(cost.multicast.words, (lower + diagonal) / 2);
  EXPECT_DOUBLE_EQ(cost.panel.words, 0);
  EXPECT_DOUBLE_EQ(cost.rows.words, 0);
}

TEST(LuCosts, LayersSaveWordsOfTheMulticasts) {
  const LuSchedule flat(1 << 14, 1 << 14, 64, 16, 16), layered(1 << 14, 1 << 14, 64, 8, 8, 4);
  const double words_flat = lu_communication(flat, LuPivotCost::none, 8).multicast.words;
  const double words_layered = lu_communication(layered, LuPivotCost::none, 8).multicast.words;
  EXPECT_NEAR(words_layered / words_flat, 0.5, 0.05);  // 1/√c
  const CommunicationCost bound = layered_bound(1 << 14, 256, 4);
  EXPECT_GT(words_layered, bound.words / 2);
  EXPECT_LT(words_layered, bound.words * 2);
}

TEST(LuCosts, PartialPivotingSendsAMessagePerColumn) {
  const LuSchedule schedule(256, 256, 32, 4, 4);
  const double tournament = lu_communication(schedule, LuPivotCost::tournament, 8).panel.messages;
  const double partial = lu_communication(schedule, LuPivotCost::partial, 8).panel.messages;
  EXPECT_DOUBLE_EQ(partial, 32 * tournament);
}

TEST(LuCosts, MoreOfAnythingTakesNoLess) {
  const LuRates rates{.network = {1e-6, 1e-9}};
  const LuRates slower{.network = {1e-5, 1e-8}};
  for (const LuPivotCost pivots :
       {LuPivotCost::none, LuPivotCost::tournament, LuPivotCost::partial}) {
    const double seconds = lu_seconds({2000, 2000, 64, 4, 4}, pivots, rates).total();
    EXPECT_GT(seconds, 0);
    EXPECT_GT(lu_seconds({4000, 4000, 64, 4, 4}, pivots, rates).total(), seconds);
    EXPECT_GT(lu_seconds({2000, 2000, 64, 4, 4}, pivots, slower).total(), seconds);
  }
}

TEST(LuCosts, PanelsWaitForWhatIsSentOneAfterTheOther) {
  // Only latencies: the diagonal block's broadcast, or an all-reduce by recursive doubling.
  const LuRates rates{.network = {1, 0}, .multiplications_per_second = 1e300};
  const auto panel = [&](int ranks, LuPivotCost pivots) {
    return lu_seconds({8, 8, 8, ranks, 1}, pivots, rates).panel;
  };
  EXPECT_DOUBLE_EQ(panel(4, LuPivotCost::none), 2);
  EXPECT_DOUBLE_EQ(panel(4, LuPivotCost::tournament), 2);
  EXPECT_DOUBLE_EQ(panel(3, LuPivotCost::none), 2);
  EXPECT_DOUBLE_EQ(panel(3, LuPivotCost::tournament), 3);
}

TEST(LuCosts, CollectivesCostByTheStep) {
  LuRates rates{.network = {1e-6, 1e-9}};
  const auto collectives = [&](std::int64_t block, int rows, int columns, int layers) {
    return lu_seconds({2048, 2048, block, rows, columns, layers}, LuPivotCost::tournament, rates)
        .collectives;
  };
  EXPECT_EQ(collectives(32, 4, 4, 1), 0);
  rates.seconds_per_collective = 1e-3;
  EXPECT_EQ(collectives(32, 1, 1, 1), 0);
  EXPECT_NEAR(collectives(32, 4, 4, 1), 2 * collectives(64, 4, 4, 1), 1e-9);
  EXPECT_GT(collectives(32, 4, 4, 4), collectives(32, 4, 4, 1));
  EXPECT_GT(collectives(32, 4, 4, 1), 64 * 5 * 1e-3);
  EXPECT_LT(collectives(32, 4, 4, 4), 64 * 12 * 1e-3);
}

TEST(LuCosts, MemoryIsACopyOfEachLayerItsShareAndPanels) {
  const double copy = 1000.0 * 1000 / 16;
  EXPECT_GT(lu_memory({1000, 1000, 10, 4, 4}), copy);
  EXPECT_LT(lu_memory({1000, 1000, 10, 4, 4}), copy * 1.5);
  EXPECT_DOUBLE_EQ(lu_memory({1000, 1000, 10, 4, 4, 2}),
                   lu_memory({1000, 1000, 10, 4, 4}) + copy / 2);
}

TEST(LuCosts, SharedCoresTakeAtLeastTheWorkOfAllRanks) {
  const LuSchedule schedule(2048, 2048, 64, 4, 4);
  LuRates rates{.network = {1e-6, 1e-9}, .seconds_per_collective = 1e-4};
  const auto of = [&] { return lu_seconds(schedule, LuPivotCost::tournament, rates); };
  EXPECT_EQ(of().cores, 0);
  const double alone = of().total(), computed = of().update;
  rates.ranks_per_core = 16;
  EXPECT_GT(of().cores, 0);
  EXPECT_GT(of().total(), 16 * (computed + of().collectives));
  EXPECT_LT(of().total(), 16 * alone);
  rates.core_seconds_per_byte = 1e-6;
  EXPECT_GT(of().total(), 16 * alone);
}

TEST(LuCosts, EachLineHasLinksOfItsOwn) {
  const LuSchedule schedule(2048, 2048, 64, 4, 2, 2);
  const auto seconds = [&](const LuLinks& links) {
    return lu_seconds(schedule, LuPivotCost::none,
                      {.network = {0, 1e-7}, .links = links, .multiplications_per_second = 1e300});
  };
  const LuSecondsEstimate one = seconds({1, 1, 1});
  EXPECT_LT(seconds({1, 2, 1}).multicast, one.multicast);
  EXPECT_EQ(seconds({1, 2, 1}).rows, one.rows);
  EXPECT_EQ(seconds({2, 2, 1}).rows, one.rows);
  EXPECT_DOUBLE_EQ(seconds({1, 1, 2}).rows, one.rows / 2);
  EXPECT_DOUBLE_EQ(seconds({2, 2, 2}).total(), one.total() / 2);
}

TEST(LuCosts, ABurstShortensTheMulticasts) {
  const LuSchedule schedule(2048, 2048, 64, 4, 4);
  LuRates rates{.network = {1e-6, 1e-7}};
  const double without = lu_seconds(schedule, LuPivotCost::none, rates).multicast;
  rates.burst_bytes = 1 << 17;
  EXPECT_NEAR(lu_seconds(schedule, LuPivotCost::none, rates).multicast, without - (1 << 17) * 1e-7,
              1e-9);
}

}  // namespace
}  // namespace cuboid::detail
