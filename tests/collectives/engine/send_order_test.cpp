#include "collectives/engine/send_order.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace send_order_test {

Schedule of_sends_to(const std::vector<int>& peers, int at_a_time) {
  Schedule schedule;
  for (const int peer : peers)
    schedule.steps.push_back(
        {.kind = peer < 0 ? Step::Kind::receive : Step::Kind::send, .peer = peer});
  schedule.sends_at_a_time = at_a_time;
  return schedule;
}

TEST(SendOrder, LetsAllGoWhereNothingElseIsSaid) {
  SendOrder order(of_sends_to({1, 1, 1}, 0));
  for (StepId step = 0; step < 3; ++step) EXPECT_TRUE(order.admit(step));
  EXPECT_FALSE(order.ended(0));
}

TEST(SendOrder, TheEarliestOfThoseThatWaitGoesFirst) {
  SendOrder order(of_sends_to({1, 1, 1, 1, 1}, 2));
  EXPECT_TRUE(order.admit(0));
  EXPECT_TRUE(order.admit(1));
  EXPECT_FALSE(order.admit(4));
  EXPECT_FALSE(order.admit(3));
  EXPECT_FALSE(order.admit(2));
  EXPECT_EQ(order.ended(1), 2U);
  EXPECT_EQ(order.ended(0), 3U);
  EXPECT_EQ(order.ended(2), 4U);
  EXPECT_FALSE(order.ended(3));
}

TEST(SendOrder, OneThatComesBeforeAllUnderWayNeverWaits) {
  SendOrder order(of_sends_to({1, 1, 1, 1}, 1));
  EXPECT_TRUE(order.admit(2));
  EXPECT_FALSE(order.admit(3));
  EXPECT_TRUE(order.admit(1));
  EXPECT_FALSE(order.ended(2));  // 1 is still under way
  EXPECT_EQ(order.ended(1), 3U);
}

TEST(SendOrder, OtherRanksAndOtherStepsGoTheirOwnWay) {
  SendOrder order(of_sends_to({1, 2, -1, 1}, 1));
  EXPECT_TRUE(order.admit(0));
  EXPECT_TRUE(order.admit(1));
  EXPECT_TRUE(order.admit(2));
  EXPECT_FALSE(order.admit(3));
  EXPECT_FALSE(order.ended(2));
  EXPECT_FALSE(order.ended(1));
  order.clear();
  EXPECT_TRUE(order.admit(3));
}

TEST(SendOrder, EverySendGoesOnce) {
  std::mt19937 random(7);
  std::vector<int> peers(60);
  for (int& peer : peers) peer = static_cast<int>(random() % 3);
  SendOrder order(of_sends_to(peers, 2));
  std::vector<StepId> ready(peers.size());
  for (StepId step = 0; step < ready.size(); ++step) ready[step] = step;
  std::ranges::shuffle(ready, random);
  std::vector<StepId> gone;
  for (const StepId step : ready) {
    if (order.admit(step)) gone.push_back(step);
  }
  for (std::size_t next = 0; next < gone.size(); ++next) {
    if (const auto freed = order.ended(gone[next])) gone.push_back(*freed);
  }
  std::ranges::sort(gone);
  std::ranges::sort(ready);
  EXPECT_EQ(gone, ready);
}

}  // namespace send_order_test
}  // namespace cuboid::detail
