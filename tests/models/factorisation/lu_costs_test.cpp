// LU's cost, summed over its schedule, against what can be told otherwise.

#include "models/factorisation/factorisation_costs.hpp"
#include "models/multiplication/lower_bounds.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace lu_costs_test {

LuCommunication lu_communication(const PanelSchedule& schedule, LuPivotCost pivots) {
  return lu_cost(schedule, pivots, {}).communication;
}

TEST(LuCosts, OneRankSendsNothing) {
  for (const LuPivotCost pivots :
       {LuPivotCost::none, LuPivotCost::tournament, LuPivotCost::partial}) {
    EXPECT_EQ(lu_communication({1000, 1000, 32, 1, 1}, pivots).total().words, 0);
    EXPECT_EQ(lu_communication({1000, 1000, 32, 1, 1}, pivots).total().messages, 0);
  }
}

TEST(LuCosts, TwoRanksSideBySideShareTheLowerTriangle) {
  // Every element of L, and the diagonal blocks whole, cross once; half of them from each rank.
  const double n = 64, block = 8;
  const double lower = (n * n - n * block) / 2, diagonal = n * block;
  const auto cost = lu_communication({64, 64, 8, 1, 2}, LuPivotCost::none);
  EXPECT_DOUBLE_EQ(cost.multicast.words, (lower + diagonal) / 2);
  EXPECT_DOUBLE_EQ(cost.panel.words, 0);
  EXPECT_DOUBLE_EQ(cost.rows.words, 0);
}

TEST(LuCosts, LayersSaveWordsOfTheMulticasts) {
  const PanelSchedule flat(1 << 14, 1 << 14, 64, 16, 16), layered(1 << 14, 1 << 14, 64, 8, 8, 4);
  const double words_flat = lu_communication(flat, LuPivotCost::none).multicast.words;
  const double words_layered = lu_communication(layered, LuPivotCost::none).multicast.words;
  EXPECT_NEAR(words_layered / words_flat, 0.5, 0.05);  // 1/√c
  const CommunicationCost bound = layered_bound(1 << 14, 256, 4);
  EXPECT_GT(words_layered, bound.words / 2);
  EXPECT_LT(words_layered, bound.words * 2);
}

TEST(LuCosts, PartialPivotingReducesAndBroadcastsARowPerColumn) {
  const PanelSchedule schedule(256, 256, 32, 4, 4);
  const double tournament = lu_communication(schedule, LuPivotCost::tournament).panel.messages;
  const double partial = lu_communication(schedule, LuPivotCost::partial).panel.messages;
  // Three of four ranks send a row, and receive the largest, where all four would meet twice.
  EXPECT_DOUBLE_EQ(partial - tournament, (256.0 * 2 * 3 - 8 * 4 * 2) / 16);
}

TEST(LuCosts, MessagesAreTheMeanOfTheRanks) {
  // In each of 8 steps but the last one rank sends L; in all the diagonal block.
  EXPECT_DOUBLE_EQ(lu_communication({64, 64, 8, 1, 2}, LuPivotCost::none).total().messages,
                   (7 + 8) / 2.0);
  // The diagonal block goes down, and U: the next panel's columns first, but in the last step.
  const LuCommunication down = lu_communication({64, 64, 8, 2, 1}, LuPivotCost::none);
  EXPECT_DOUBLE_EQ(down.panel.messages, 8 / 2.0);
  EXPECT_DOUBLE_EQ(down.multicast.messages, (6 * 2 + 1) / 2.0);
}

TEST(LuCosts, SumsOverManyStepsAreThoseOverAll) {
  constexpr std::int64_t n = 1'000'003;
  const PanelSchedule schedule(n, n, 16, 3, 5, 2);
  double words = 0;
  for (std::int64_t index = 0; index < schedule.steps(); ++index) {
    const PanelStep step = schedule.step(index);
    const auto width = static_cast<double>(step.width()), left = static_cast<double>(n - step.end);
    words += width * left * (4 + 2) + 2 * 4 * width * width;  // L, U and the diagonal block
  }
  const double summed = lu_communication(schedule, LuPivotCost::none).multicast.words;
  EXPECT_NEAR(summed / (words / 30), 1, 1e-4);
  double steps = 0;
  int visits = 0;
  schedule.visit_steps([&](const PanelStep&, double times) {
    steps += times;
    ++visits;
  });
  EXPECT_EQ(steps, static_cast<double>(schedule.steps()));
  EXPECT_LT(visits, 2000);
}

TEST(LuCosts, ABlockIsNoLongerThanTheMatrix) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t block : {std::int64_t{1} << 62, most - 1, most}) {
    const PanelSchedule schedule(30, 50, block, 4, 4);
    EXPECT_EQ(schedule.steps(), 1);
    EXPECT_EQ(schedule.local_rows(0), 30);
    EXPECT_EQ(schedule.local_columns(0), 50);
    EXPECT_EQ(schedule.local_columns(3), 0);
  }
}

TEST(LuCosts, MemoryIsACopyOfEachLayerItsShareAndPanels) {
  const double copy = 1000.0 * 1000 / 16;
  EXPECT_GT(lu_memory({1000, 1000, 10, 4, 4}), copy);
  EXPECT_LT(lu_memory({1000, 1000, 10, 4, 4}), copy * 1.5);
  EXPECT_DOUBLE_EQ(lu_memory({1000, 1000, 10, 4, 4, 2}),
                   lu_memory({1000, 1000, 10, 4, 4}) + copy / 2);
}

}  // namespace lu_costs_test
}  // namespace cuboid::detail
