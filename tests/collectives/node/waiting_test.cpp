#include "collectives/node/waiting.hpp"

#include <chrono>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace waiting_test {

void expect_walk(Backoff& backoff, const WaitPolicy& policy) {
  for (int spin = 0; spin < policy.spins; ++spin) ASSERT_EQ(backoff.next(), Pause::spin) << spin;
  for (int yield = 0; yield < policy.yields; ++yield)
    ASSERT_EQ(backoff.next(), Pause::yield) << yield;
  for (int sleep = 0; sleep < 100; ++sleep) ASSERT_EQ(backoff.next(), Pause::sleep) << sleep;
}

TEST(Backoff, SpinsThenYieldsThenSleeps) {
  for (const WaitPolicy policy : {WaitPolicy{3, 5}, {0, 2}, {2, 0}, {0, 0}}) {
    Backoff backoff(policy);
    expect_walk(backoff, policy);
  }
}

TEST(Backoff, ProgressStartsItOver) {
  const WaitPolicy policy{2, 2};
  Backoff backoff(policy);
  for (int steps = 0; steps < 7; ++steps) {
    for (int step = 0; step < steps; ++step) backoff.next();
    backoff.reset();
    expect_walk(backoff, policy);
    backoff.reset();
  }
}

TEST(WaitPolicy, ARankThatSharesItsCoreSoonGivesItAway) {
  const WaitPolicy alone = WaitPolicy::for_load(4, 4);
  const WaitPolicy crowded = WaitPolicy::for_load(16, 2);
  EXPECT_GT(alone.spins, 100);
  EXPECT_LT(crowded.spins, 10);
}

TEST(WaitPolicy, TheMoreRanksShareACoreTheFewerTurnsEachTakes) {
  int before = WaitPolicy::for_load(2, 2).yields;
  for (const double ranks : {4.0, 16.0, 64.0, 1000.0}) {
    const int yields = WaitPolicy::for_load(ranks, 2).yields;
    EXPECT_LE(yields, before);
    EXPECT_GE(yields, 1);
    before = yields;
  }
  EXPECT_LT(WaitPolicy::for_load(64, 2).yields, WaitPolicy::for_load(8, 2).yields);
}

TEST(Yields, AreNotWorthwhileBesideAnotherProgramThatComputes) {
  using namespace std::chrono_literals;
  Yields yields;
  Clock::time_point now{1h};
  int taken = 0;
  for (; yields.worthwhile(now); ++taken, now += 4ms) yields.took(now, now + 4ms);
  EXPECT_EQ(taken, 10);
  EXPECT_FALSE(yields.worthwhile(now + 400ms));
  now += 600ms;
  ASSERT_TRUE(yields.worthwhile(now));  // once, to see whether it still computes
  yields.took(now, now + 4ms);
  EXPECT_FALSE(yields.worthwhile(now + 4ms));
}

TEST(Yields, AreWorthwhileAmongRanksThatComputeForAMoment) {
  using namespace std::chrono_literals;
  Yields yields;
  Clock::time_point now{1h};
  const auto took = [&](Clock::duration slice, Clock::duration rest) {
    ASSERT_TRUE(yields.worthwhile(now));
    yields.took(now, now + slice);
    now += slice + rest;
  };
  for (int call = 0; call < 1000; ++call) took(2ms, 0ms);     // short slices
  for (int call = 0; call < 1000; ++call) took(10ms, 200ms);  // long ones that are rare
}

TEST(WaitPolicy, ThereIsAtLeastOneCore) {
  EXPECT_FALSE(usable_cores().empty());
}

TEST(RanksOn, CountsRanksBoundToACoreEachOrToNone) {
  const CoreSet both = {0, 1};
  const std::vector<CoreSet> unbound(16, both);
  EXPECT_DOUBLE_EQ(ranks_on(both, unbound), 16);
  const std::vector<CoreSet> bound = {{0}, {1}};
  EXPECT_DOUBLE_EQ(ranks_on({0}, bound), 1);
  const std::vector<CoreSet> mixed = {{0}, {0, 1}, {2, 3}};
  EXPECT_DOUBLE_EQ(ranks_on({0}, mixed), 1.5);
  EXPECT_DOUBLE_EQ(ranks_on({4}, mixed), 0);
}

}  // namespace waiting_test
}  // namespace cuboid::detail
