#include "models/multiplication/lower_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace lower_bounds_test {

constexpr ProductExtents cubic{1024, 1024, 1024};

TEST(LowerBounds, ByHand) {
  EXPECT_EQ(sequential_bound({4, 8, 2}, 16), 2 * 64 / 4.0 + 32);      // theorem 1
  EXPECT_DOUBLE_EQ(parallel_bound(cubic, 64, 1 << 30), 3 * 65536.0);  // 3·(2^24)^⅔
  EXPECT_DOUBLE_EQ(parallel_bound(cubic, 64, 16384), 2 * 16777216 / 128.0 + 16384);
  EXPECT_DOUBLE_EQ(irony_toledo_tiskin_bound(cubic, 64, 8192),
                   16777216 / (2 * std::sqrt(2.0) * std::sqrt(8192.0)) - 8192);
  EXPECT_EQ(irony_toledo_tiskin_bound(cubic, 64, 1e9), 0);
  EXPECT_EQ(layered_bound(1024, 64, 4).words, 65536);
  EXPECT_EQ(layered_bound(1024, 64, 4).messages, 1);
}

TEST(LowerBounds, MoreMemoryNeverCostsWords) {
  double before = std::numeric_limits<double>::infinity();
  for (double memory = 1024; memory < 1e8; memory *= 1.5) {
    const double words = parallel_bound(cubic, 64, memory);
    EXPECT_LE(words, before);
    EXPECT_GE(words, 3 * 65536.0 * (1 - 1e-12));  // what no memory helps against
    EXPECT_GE(words, irony_toledo_tiskin_bound(cubic, 64, memory));
    before = words;
  }
}

TEST(LowerBounds, WhatIsReceivedIsWhatIsHeldLessWhatIsOwned) {
  EXPECT_NEAR(least_received(cubic, 64), parallel_bound(cubic, 64, 1e9) - cubic.elements() / 64, 1);
  EXPECT_NEAR(least_received(cubic, 64, 49152.0),
              parallel_bound(cubic, 64, 49152) - cubic.elements() / 64, 1);
  EXPECT_EQ(least_received(cubic, 1), 0);
  EXPECT_EQ(least_received({0, 5, 5}, 4), 0);
  // One long extent: the two others' face goes to everybody.
  EXPECT_EQ(least_received({4096, 4, 4}, 4), 0.75 * 16);
}

}  // namespace lower_bounds_test
}  // namespace cuboid::detail
