#include "bindings/dropin/contest.hpp"

#include <initializer_list>

#include <gtest/gtest.h>

namespace cuboid::detail::drop_in {
namespace {

using Contender = Contest::Contender;

/// Plays with fixed times until it is settled; returns how many calls that took.
int play(Contest& contest, double theirs, double ours) {
  int calls = 0;
  while (!contest.settled() && calls < 100) {
    contest.took(contest.lock() == Contender::theirs ? theirs : ours);
    ++calls;
    if (contest.wants_agreement()) contest.agree(contest.times());
  }
  return calls;
}

TEST(Contest, TakesTurns) {
  Contest contest;
  EXPECT_EQ(contest.lock(), Contender::theirs);
  contest.took(1);
  EXPECT_FALSE(contest.wants_agreement());
  EXPECT_EQ(contest.lock(), Contender::ours);
  contest.took(1);
  EXPECT_TRUE(contest.wants_agreement());
}

TEST(Contest, IsSettledAtOnceWhereCallsTakeLongAndOursIsFarQuicker) {
  Contest contest;
  EXPECT_EQ(play(contest, 3.0, 1.0), 2);
  EXPECT_EQ(contest.lock(), Contender::ours);
  EXPECT_DOUBLE_EQ(contest.saves(), 2.0);
}

TEST(Contest, ForgivesBothTheFirstCall) {
  Contest ours_loses;
  EXPECT_EQ(play(ours_loses, 1.0, 3.0), 4);
  EXPECT_EQ(ours_loses.lock(), Contender::theirs);
  EXPECT_DOUBLE_EQ(ours_loses.saves(), 0.0);
  Contest cold;  // theirs, at first, but for no longer than connections take
  cold.took(0.3);
  cold.took(0.02);
  cold.agree(cold.times());
  EXPECT_FALSE(cold.settled());
  play(cold, 0.014, 0.02);
  EXPECT_EQ(cold.lock(), Contender::theirs);
}

TEST(Contest, LooksLongerWhereCallsAreShortOrTheDifferenceIsSmall) {
  Contest quick;
  EXPECT_EQ(play(quick, 1e-5, 1e-6), 8);
  EXPECT_EQ(quick.lock(), Contender::ours);
  Contest near;
  EXPECT_EQ(play(near, 1.2, 1.0), 16);
  EXPECT_EQ(near.lock(), Contender::ours);
  Contest nearly_equal;
  EXPECT_EQ(play(nearly_equal, 1.07, 1.0), 16);
  EXPECT_EQ(nearly_equal.lock(), Contender::theirs);
}

TEST(Contest, LeavesATieToTheOthers) {
  Contest contest;
  play(contest, 1.0, 1.0);
  EXPECT_EQ(contest.lock(), Contender::theirs);
}

TEST(Contest, CountsTheQuickestCall) {
  Contest contest;
  for (const double seconds : {1.0, 1.9, 5.0, 0.5, 4.0, 4.0, 4.0, 4.0}) {
    contest.took(seconds);
    if (contest.wants_agreement()) contest.agree(contest.times());
  }
  EXPECT_TRUE(contest.settled());
  EXPECT_EQ(contest.lock(), Contender::ours);
}

TEST(Contest, DoesAsTheSlowestRankSays) {
  Contest contest;
  for (int pair = 0; pair < 2; ++pair) {
    contest.took(2.0);
    contest.took(0.1);
    contest.agree({2.0, 1.9 + 7.1});
  }
  EXPECT_TRUE(contest.settled());
  EXPECT_EQ(contest.lock(), Contender::theirs);
}

TEST(Contest, OfShortCallsComparesSeveralInARow) {
  Contest contest(3);
  const auto carry = [&](std::initializer_list<double> times) {
    for (const double seconds : times) {
      contest.took(seconds);
      if (contest.wants_agreement()) contest.agree(contest.times());
    }
  };
  carry({7, 9});  // one each, for warm-up
  EXPECT_EQ(contest.lock(), Contender::theirs);
  carry({1, 1, 1});
  EXPECT_EQ(contest.lock(), Contender::ours);
  carry({0.5, 2});  // quicker alone, but not in a row
  EXPECT_EQ(contest.lock(), Contender::ours);
  carry({3.5});
  EXPECT_TRUE(contest.settled());
  EXPECT_EQ(contest.lock(), Contender::theirs);
}

TEST(Contest, TellsWhereTurnsBegin) {
  Contest contest(2);
  const auto begins_after = [&](double seconds) {
    contest.took(seconds);
    return contest.begins_turn();
  };
  EXPECT_TRUE(contest.begins_turn());
  EXPECT_TRUE(begins_after(1));  // one each, for warm-up
  EXPECT_FALSE(contest.is_even());
  EXPECT_TRUE(begins_after(1));
  EXPECT_TRUE(contest.is_even());
  EXPECT_FALSE(begins_after(1));
  EXPECT_TRUE(begins_after(1));
  EXPECT_FALSE(contest.is_even());
  contest.settle(Contender::ours);
  EXPECT_FALSE(contest.begins_turn());
}

TEST(Contest, OfShortCallsIsSettledByTwentyCalls) {
  Contest clear(3);
  EXPECT_EQ(play(clear, 4e-6, 1e-6), 8);
  EXPECT_EQ(clear.lock(), Contender::ours);
  Contest near(3);
  EXPECT_EQ(play(near, 1.2e-6, 1e-6), 20);
  EXPECT_EQ(near.lock(), Contender::ours);
}

TEST(Contest, ANarrowWinIsDefended) {
  Contest contest(3);
  play(contest, 1.2e-6, 1e-6);
  for (int call = 0; call < 31; ++call) contest.defend();
  EXPECT_TRUE(contest.settled());
  contest.defend();
  EXPECT_FALSE(contest.settled());
  EXPECT_EQ(play(contest, 1.3e-6, 1e-6), 18);
  EXPECT_EQ(contest.lock(), Contender::ours);
  for (int call = 0; call < 96; ++call) contest.defend();
  EXPECT_FALSE(contest.settled());
  play(contest, 1e-6, 1e-6);
  EXPECT_EQ(contest.lock(), Contender::theirs);
}

TEST(Contest, AClearWinIsNot) {
  Contest contest(3);
  play(contest, 3e-6, 1e-6);
  for (int call = 0; call < 1000; ++call) contest.defend();
  EXPECT_TRUE(contest.settled());
  EXPECT_DOUBLE_EQ(contest.seconds_of_loser(), 3e-6);
}

TEST(Contest, MayBeSettledBeforehand) {
  const Contest contest = Contest::won_by_ours(0.25);
  EXPECT_TRUE(contest.settled());
  EXPECT_EQ(contest.lock(), Contender::ours);
  EXPECT_DOUBLE_EQ(contest.saves(), 0.25);
}

}  // namespace
}  // namespace cuboid::detail::drop_in
