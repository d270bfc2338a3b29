#include "bindings/dropin/online_trial.hpp"

#include <initializer_list>

#include <gtest/gtest.h>

namespace cuboid::detail::drop_in {
namespace online_trial_test {

using Contender = OnlineTrial::Contender;

/// Plays with fixed times until it is settled; returns how many calls that took.
int play(OnlineTrial& trial, double theirs, double ours) {
  int calls = 0;
  while (!trial.settled() && calls < 100) {
    trial.took(trial.lock() == Contender::theirs ? theirs : ours);
    ++calls;
    if (trial.wants_agreement()) trial.agree(trial.times());
  }
  return calls;
}

TEST(OnlineTrial, TakesTurns) {
  OnlineTrial trial;
  EXPECT_EQ(trial.lock(), Contender::theirs);
  trial.took(1);
  EXPECT_FALSE(trial.wants_agreement());
  EXPECT_EQ(trial.lock(), Contender::ours);
  trial.took(1);
  EXPECT_TRUE(trial.wants_agreement());
}

TEST(OnlineTrial, IsSettledAtOnceWhereCallsTakeLongAndOursIsFarQuicker) {
  OnlineTrial trial;
  EXPECT_EQ(play(trial, 3.0, 1.0), 2);
  EXPECT_EQ(trial.lock(), Contender::ours);
  EXPECT_DOUBLE_EQ(trial.saves(), 2.0);
}

TEST(OnlineTrial, ForgivesBothTheFirstCall) {
  OnlineTrial ours_loses;
  EXPECT_EQ(play(ours_loses, 1.0, 3.0), 4);
  EXPECT_EQ(ours_loses.lock(), Contender::theirs);
  EXPECT_DOUBLE_EQ(ours_loses.saves(), 0.0);
  OnlineTrial cold;  // theirs, at first, but for no longer than connections take
  cold.took(0.3);
  cold.took(0.02);
  cold.agree(cold.times());
  EXPECT_FALSE(cold.settled());
  play(cold, 0.014, 0.02);
  EXPECT_EQ(cold.lock(), Contender::theirs);
}

TEST(OnlineTrial, LooksLongerWhereCallsAreShortOrTheDifferenceIsSmall) {
  OnlineTrial quick;
  EXPECT_EQ(play(quick, 1e-5, 1e-6), 8);
  EXPECT_EQ(quick.lock(), Contender::ours);
  OnlineTrial near;
  EXPECT_EQ(play(near, 1.2, 1.0), 16);
  EXPECT_EQ(near.lock(), Contender::ours);
  OnlineTrial nearly_equal;
  EXPECT_EQ(play(nearly_equal, 1.07, 1.0), 16);
  EXPECT_EQ(nearly_equal.lock(), Contender::theirs);
}

TEST(OnlineTrial, LeavesATieToTheOthers) {
  OnlineTrial trial;
  play(trial, 1.0, 1.0);
  EXPECT_EQ(trial.lock(), Contender::theirs);
}

TEST(OnlineTrial, CountsTheQuickestCall) {
  OnlineTrial trial;
  for (const double seconds : {1.0, 1.9, 5.0, 0.5, 4.0, 4.0, 4.0, 4.0}) {
    trial.took(seconds);
    if (trial.wants_agreement()) trial.agree(trial.times());
  }
  EXPECT_TRUE(trial.settled());
  EXPECT_EQ(trial.lock(), Contender::ours);
}

TEST(OnlineTrial, DoesAsTheSlowestRankSays) {
  OnlineTrial trial;
  for (int pair = 0; pair < 2; ++pair) {
    trial.took(2.0);
    trial.took(0.1);
    trial.agree({2.0, 1.9 + 7.1});
  }
  EXPECT_TRUE(trial.settled());
  EXPECT_EQ(trial.lock(), Contender::theirs);
}

TEST(OnlineTrial, OfShortCallsComparesSeveralInARow) {
  OnlineTrial trial(3);
  const auto carry = [&](std::initializer_list<double> times) {
    for (const double seconds : times) {
      trial.took(seconds);
      if (trial.wants_agreement()) trial.agree(trial.times());
    }
  };
  carry({7, 9});  // one each, for warm-up
  EXPECT_EQ(trial.lock(), Contender::theirs);
  carry({1, 1, 1});
  EXPECT_EQ(trial.lock(), Contender::ours);
  carry({0.5, 2});  // quicker alone, but not in a row
  EXPECT_EQ(trial.lock(), Contender::ours);
  carry({3.5});
  EXPECT_TRUE(trial.settled());
  EXPECT_EQ(trial.lock(), Contender::theirs);
}

TEST(OnlineTrial, TellsWhereTurnsBegin) {
  OnlineTrial trial(2);
  const auto begins_after = [&](double seconds) {
    trial.took(seconds);
    return trial.begins_turn();
  };
  EXPECT_TRUE(trial.begins_turn());
  EXPECT_TRUE(begins_after(1));  // one each, for warm-up
  EXPECT_FALSE(trial.is_even());
  EXPECT_TRUE(begins_after(1));
  EXPECT_TRUE(trial.is_even());
  EXPECT_FALSE(begins_after(1));
  EXPECT_TRUE(begins_after(1));
  EXPECT_FALSE(trial.is_even());
  trial.settle(Contender::ours);
  EXPECT_FALSE(trial.begins_turn());
}

TEST(OnlineTrial, OfShortCallsIsSettledByTwentyCalls) {
  OnlineTrial clear(3);
  EXPECT_EQ(play(clear, 4e-6, 1e-6), 8);
  EXPECT_EQ(clear.lock(), Contender::ours);
  OnlineTrial near(3);
  EXPECT_EQ(play(near, 1.2e-6, 1e-6), 20);
  EXPECT_EQ(near.lock(), Contender::ours);
}

TEST(OnlineTrial, ANarrowWinIsDefended) {
  OnlineTrial trial(3);
  play(trial, 1.2e-6, 1e-6);
  for (int call = 0; call < 31; ++call) trial.defend();
  EXPECT_TRUE(trial.settled());
  trial.defend();
  EXPECT_FALSE(trial.settled());
  EXPECT_EQ(play(trial, 1.3e-6, 1e-6), 18);
  EXPECT_EQ(trial.lock(), Contender::ours);
  for (int call = 0; call < 96; ++call) trial.defend();
  EXPECT_FALSE(trial.settled());
  play(trial, 1e-6, 1e-6);
  EXPECT_EQ(trial.lock(), Contender::theirs);
}

TEST(OnlineTrial, AClearWinIsNot) {
  OnlineTrial trial(3);
  play(trial, 3e-6, 1e-6);
  for (int call = 0; call < 1000; ++call) trial.defend();
  EXPECT_TRUE(trial.settled());
  EXPECT_DOUBLE_EQ(trial.seconds_of_loser(), 3e-6);
}

TEST(OnlineTrial, MayBeSettledBeforehand) {
  const OnlineTrial trial = OnlineTrial::won_by_ours(0.25);
  EXPECT_TRUE(trial.settled());
  EXPECT_EQ(trial.lock(), Contender::ours);
  EXPECT_DOUBLE_EQ(trial.saves(), 0.25);
}

}  // namespace online_trial_test
}  // namespace cuboid::detail::drop_in
