#include <cuboid/collectives/transport/waiting.hpp>

#include <gtest/gtest.h>

namespace cuboid {
namespace {

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

TEST(WaitPolicy, ThereIsAtLeastOneCore) {
  EXPECT_GE(usable_cores(), 1);
}

}  // namespace
}  // namespace cuboid
