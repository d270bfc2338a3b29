#include "models/messages/broadcast_factors.hpp"

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace broadcast_factors_test {

TEST(BroadcastFactors, ByHandForEightRanks) {
  const auto factors = [](BroadcastKind kind, double segments = 1) {
    return broadcast_factors({kind, segments}, 8);
  };
  EXPECT_EQ(factors(BroadcastKind::flat).latency, 7);
  EXPECT_EQ(factors(BroadcastKind::flat).bandwidth, 7);
  EXPECT_EQ(factors(BroadcastKind::chain).latency, 7);
  EXPECT_EQ(factors(BroadcastKind::chain, 4).latency, 10);
  EXPECT_EQ(factors(BroadcastKind::chain, 4).bandwidth, 2.5);
  EXPECT_EQ(factors(BroadcastKind::binary).latency, 6);
  EXPECT_EQ(factors(BroadcastKind::binary, 4).latency, 12);
  EXPECT_EQ(factors(BroadcastKind::binary, 4).bandwidth, 3);
  EXPECT_EQ(factors(BroadcastKind::binomial).latency, 3);
  EXPECT_EQ(factors(BroadcastKind::binomial).bandwidth, 3);
  EXPECT_EQ(factors(BroadcastKind::van_de_geijn).latency, 10);
  EXPECT_EQ(factors(BroadcastKind::van_de_geijn).bandwidth, 1.75);
}

TEST(BroadcastFactors, NothingForOneRankAndNeverLessForMore) {
  for (const BroadcastKind kind : broadcast_kinds()) {
    EXPECT_EQ(broadcast_factors({kind}, 1).latency, 0) << to_string(kind);
    EXPECT_EQ(broadcast_factors({kind}, 1).bandwidth, 0) << to_string(kind);
    EXPECT_EQ(find_broadcast_kind(to_string(kind)), kind);
    BroadcastFactors before;
    for (double ranks = 2; ranks < 100; ranks *= 1.3) {
      const BroadcastFactors now = broadcast_factors({kind}, ranks);
      EXPECT_GE(now.latency, before.latency) << to_string(kind) << ranks;
      EXPECT_GE(now.bandwidth, before.bandwidth) << to_string(kind) << ranks;
      before = now;
    }
  }
  EXPECT_FALSE(find_broadcast_kind("bush"));
}

}  // namespace broadcast_factors_test
}  // namespace cuboid::detail
