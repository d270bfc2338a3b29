#include "base/recent_cache.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace recent_cache_test {

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

TEST(RecentCache, GoesThroughItsEntriesFromTheOneUsedLast) {
  RecentCache<int, int> cache(3);
  for (const int key : {1, 2, 3, 4}) cache.add(key, 10 * key);
  EXPECT_EQ(cache.find(1), nullptr);
  ASSERT_NE(cache.find(2), nullptr);
  EXPECT_EQ(*cache.find(2), 20);
  std::vector<int> keys;
  for (const auto& [key, value] : cache.entries()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<int>{2, 4, 3}));
}

}  // namespace recent_cache_test
}  // namespace cuboid::detail
