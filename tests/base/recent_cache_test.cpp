#include "base/recent_cache.hpp"

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace {

TEST(RecentCache, ForgetsTheKeyThatHasNotBeenUsedForLongest) {
  RecentCache<int, std::string> cache(2);
  int made = 0;
  const auto get = [&](int key) {
    return cache.get(key, [&] {
      ++made;
      return std::to_string(key);
    });
  };
  EXPECT_EQ(get(1), "1");
  EXPECT_EQ(get(2), "2");
  EXPECT_EQ(get(1), "1");
  EXPECT_EQ(made, 2);
  EXPECT_EQ(get(3), "3");  // in the place of 2
  EXPECT_EQ(get(1), "1");
  EXPECT_EQ(made, 3);
  EXPECT_EQ(get(2), "2");
  EXPECT_EQ(made, 4);
  EXPECT_EQ(cache.size(), 2U);
}

TEST(RecentCache, IsUnchangedWhereNothingCouldBeMade) {
  RecentCache<int, int> cache(1);
  EXPECT_EQ(cache.get(1, [] { return 10; }), 10);
  EXPECT_THROW(cache.get(2, []() -> int { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(cache.size(), 1U);
  EXPECT_EQ(cache.get(1, [] { return 11; }), 10);
}

}  // namespace
}  // namespace cuboid::detail
