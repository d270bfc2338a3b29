#include "bindings/dropin/recent_lengths.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail::drop_in {
namespace recent_lengths_test {

/// As one rank alone would: its lengths are the greatest.
bool tell(RecentLengths& recent, std::size_t bytes) {
  const bool agrees = recent.add(bytes);
  if (agrees) recent.agree(recent.lengths());
  return agrees;
}

TEST(RecentLengths, KnowsNothingOfTheFirstCalls) {
  RecentLengths recent;
  for (int call = 1; call < 4; ++call) {
    EXPECT_FALSE(tell(recent, 1000));
    EXPECT_EQ(recent.expected(), 0u);
  }
  EXPECT_TRUE(tell(recent, 1000));
  EXPECT_EQ(recent.expected(), 1000u);
}

TEST(RecentLengths, AgreesEverMoreSeldom) {
  RecentLengths recent;
  std::vector<int> agreements;
  for (int call = 1; call <= 1024; ++call) {
    if (tell(recent, 8)) agreements.push_back(call);
  }
  EXPECT_EQ(agreements, (std::vector<int>{4, 8, 16, 32, 64, 128, 256, 512, 768, 1024}));
}

TEST(RecentLengths, ExpectsTheLongestOfLengthsThatAreAlike) {
  RecentLengths recent;
  for (const std::size_t bytes : {600, 1000, 500, 999}) tell(recent, bytes);
  EXPECT_EQ(recent.expected(), 1000u);
}

TEST(RecentLengths, ExpectsNothingWhereTheyDiffer) {
  RecentLengths recent;
  for (const std::size_t bytes : {1000, 1000, 8, 1000}) tell(recent, bytes);
  EXPECT_EQ(recent.expected(), 0u);
  for (int call = 5; call <= 8; ++call) tell(recent, 1000);
  EXPECT_EQ(recent.expected(), 1000u) << "the short one is forgotten";
}

TEST(RecentLengths, GoesByWhatTheRanksAgreedOn) {
  RecentLengths recent;
  for (int call = 1; call < 4; ++call) EXPECT_FALSE(recent.add(10));
  ASSERT_TRUE(recent.add(10));
  recent.agree(std::array<std::int64_t, 4>{5000, 5000, 5000, 5000});
  EXPECT_EQ(recent.expected(), 5000u);
}

TEST(RecentLengths, ExpectsNothingOfFewCallsWhenTheRanksAgreeEarly) {
  RecentLengths recent;
  for (int call = 0; call < 3; ++call) static_cast<void>(recent.add(1000));
  recent.agree(recent.lengths());
  EXPECT_EQ(recent.expected(), 0u);
}

}  // namespace recent_lengths_test
}  // namespace cuboid::detail::drop_in
