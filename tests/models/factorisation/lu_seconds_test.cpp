// LU's time, summed step by step over its schedule, as its rates and its links change.

#include "models/factorisation/factorisation_costs.hpp"

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace lu_seconds_test {

FactorisationSeconds lu_seconds(const PanelSchedule& schedule, LuPivotCost pivots,
                                const LuRates& rates) {
  return lu_cost(schedule, pivots, rates).seconds;
}

TEST(LuSeconds, MoreOfAnythingTakesNoLess) {
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

TEST(LuSeconds, PanelsWaitForWhatIsSentOneAfterTheOther) {
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

TEST(LuSeconds, PartialPivotingWaitsForTheTurnsOfACoresOtherRanks) {
  const LuRates rates{
      .network = {0, 0}, .multiplications_per_second = 1e300, .seconds_of_turns = 1};
  const auto panel = [&](int ranks, LuPivotCost pivots) {
    return lu_seconds({8, 8, 8, ranks, 1}, pivots, rates).panel;
  };
  // Up a tree of two steps and down, for each of 8 columns.
  EXPECT_DOUBLE_EQ(panel(4, LuPivotCost::partial), 8 * 2 * 2);
  EXPECT_DOUBLE_EQ(panel(1, LuPivotCost::partial), 0);
  EXPECT_DOUBLE_EQ(panel(4, LuPivotCost::tournament), 0);
}

TEST(LuSeconds, PartialPivotingHasACollectivePerColumn) {
  const LuRates rates{.network = {1e-6, 1e-9}, .seconds_per_tree_step = 1e-3};
  const auto collectives = [&](LuPivotCost pivots) {
    return lu_seconds({64, 64, 16, 4, 1}, pivots, rates).collectives;
  };
  EXPECT_NEAR(collectives(LuPivotCost::partial),
              collectives(LuPivotCost::tournament) + 64 * 2 * 2 * 1e-3, 1e-9);
}

TEST(LuSeconds, CollectivesCostByTheStep) {
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

TEST(LuSeconds, CollectivesOfMoreRanksHaveMoreSteps) {
  LuRates rates{.network = {1e-6, 1e-9}, .seconds_per_tree_step = 1e-3};
  const auto collectives = [&](int rows, int columns) {
    return lu_seconds({64, 64, 64, rows, columns}, LuPivotCost::none, rates).collectives;
  };
  EXPECT_DOUBLE_EQ(collectives(1, 4), 2 * collectives(1, 2));
  EXPECT_DOUBLE_EQ(collectives(1, 3), collectives(1, 4));
}

TEST(LuSeconds, SharedCoresTakeAtLeastTheWorkOfAllRanks) {
  const PanelSchedule schedule(2048, 2048, 64, 4, 4);
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

TEST(LuSeconds, EachLineHasLinksOfItsOwn) {
  const PanelSchedule schedule(2048, 2048, 64, 4, 2, 2);
  const auto seconds = [&](const LuLinks& links) {
    return lu_seconds(schedule, LuPivotCost::none,
                      {.network = {0, 1e-7}, .links = links, .multiplications_per_second = 1e300});
  };
  const FactorisationSeconds one = seconds({1, 1, 1});
  EXPECT_LT(seconds({1, 2, 1}).multicast, one.multicast);
  EXPECT_EQ(seconds({1, 2, 1}).rows, one.rows);
  EXPECT_EQ(seconds({2, 2, 1}).rows, one.rows);
  EXPECT_DOUBLE_EQ(seconds({1, 1, 2}).rows, one.rows / 2);
}

TEST(LuSeconds, LinksMakeUpForTheirRests) {
  const PanelSchedule schedule(2048, 2048, 64, 4, 4);
  LuRates rates{.network = {1e-6, 1e-7}, .multiplications_per_second = 1e8};
  const double steady = lu_seconds(schedule, LuPivotCost::tournament, rates).total();
  rates.burst_bytes = 1 << 14;
  const double some = lu_seconds(schedule, LuPivotCost::tournament, rates).total();
  rates.burst_bytes = 1e9;
  const double all = lu_seconds(schedule, LuPivotCost::tournament, rates).total();
  EXPECT_LT(some, steady);
  EXPECT_LT(all, some);
  rates.network = {0, 0};
  EXPECT_LE(lu_seconds(schedule, LuPivotCost::tournament, rates).total(), all);
}

TEST(LuSeconds, LinksThatAreAlwaysBusyMakeUpForNothing) {
  // Two ranks, and only the broadcasts of L: these fill the link.
  const PanelSchedule schedule(2048, 2048, 64, 1, 2);
  LuRates rates{.network = {0, 1e-7}, .multiplications_per_second = 1e300};
  const double steady = lu_seconds(schedule, LuPivotCost::none, rates).total();
  rates.burst_bytes = 1 << 17;
  // The two take turns, so each link rests half of the time.
  EXPECT_GE(lu_seconds(schedule, LuPivotCost::none, rates).total(), steady / 2 - 1e-9);
  EXPECT_LE(lu_seconds(schedule, LuPivotCost::none, rates).total(), steady);
}

TEST(LuSeconds, WhatDoesNotOverlapIsAdded) {
  const PanelSchedule schedule(2048, 2048, 64, 4, 4);
  LuRates rates{.network = {1e-6, 1e-8}, .ranks_per_core = 8};
  const double at_best = lu_seconds(schedule, LuPivotCost::tournament, rates).total();
  rates.overlap = 0;
  const double apart = lu_seconds(schedule, LuPivotCost::tournament, rates).total();
  EXPECT_GT(apart, at_best);
  EXPECT_LT(apart, 2 * at_best);
  rates.overlap = 0.5;
  EXPECT_NEAR(lu_seconds(schedule, LuPivotCost::tournament, rates).total(), (apart + at_best) / 2,
              1e-9);
}

TEST(LuSeconds, MovingElementsCostsCores) {
  const PanelSchedule schedule(1000, 1000, 50, 2, 2);
  LuRates rates{.network = {1e-6, 1e-9}};
  const double without = lu_seconds(schedule, LuPivotCost::tournament, rates).panel;
  rates.seconds_per_byte_moved = 1e-9;
  EXPECT_GT(lu_seconds(schedule, LuPivotCost::tournament, rates).panel, without);
}

}  // namespace lu_seconds_test
}  // namespace cuboid::detail
