// A partition point is found from any guess, and with few calls from a good one.

#include "base/partition_point_near.hpp"

#include <bit>
#include <cstddef>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace partition_point_near_test {

TEST(PartitionPointNear, IsFoundFromAnyGuess) {
  for (std::size_t begin = 0; begin < 4; ++begin) {
    for (std::size_t end = begin; end < begin + 20; ++end) {
      for (std::size_t point = begin; point <= end; ++point) {
        for (std::size_t guess = 0; guess < end + 3; ++guess) {
          const std::size_t found = partition_point_near(begin, end, guess, [&](std::size_t one) {
            EXPECT_TRUE(begin <= one && one < end);
            return one < point;
          });
          EXPECT_EQ(found, point) << begin << " to " << end << ", guess " << guess;
        }
      }
    }
  }
}

TEST(PartitionPointNear, TakesFewCallsFromAGoodGuess) {
  constexpr std::size_t end = 1'000'000;
  constexpr std::size_t point = 400'000;
  for (std::size_t away = 0; away < 10'000; away += 7) {
    for (const std::size_t guess : {point - away, point + away}) {
      int calls = 0;
      partition_point_near(0, end, guess, [&](std::size_t one) {
        ++calls;
        return one < point;
      });
      EXPECT_LE(calls, 2 + 2 * static_cast<int>(std::bit_width(away))) << away;
    }
  }
}

}  // namespace partition_point_near_test
}  // namespace cuboid::detail
