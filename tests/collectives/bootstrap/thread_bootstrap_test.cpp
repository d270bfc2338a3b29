// Ranks as threads meet: what all have brought reaches all.

#include "collectives/bootstrap/thread_bootstrap.hpp"

#include <cuboid/error.hpp>

#include <chrono>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace {

constexpr std::chrono::seconds patience{60};

TEST(ThreadMeetingPoint, WhatAllBroughtReachesAllEvenIfOneGivesUpAtOnce) {
  for (int round = 0; round < 200; ++round) {
    ThreadMeetingPoint point(2, patience);
    const std::vector<std::byte> bytes(1);
    std::size_t reached = 0;
    {
      const std::jthread other([&] { reached = point.allgather(1, bytes).size(); });
      point.allgather(0, bytes);
      point.give_up(0, "no reason");
    }
    ASSERT_EQ(reached, 2u);
  }
}

TEST(ThreadMeetingPoint, WhoeverWaitsForOneThatGaveUpIsTold) {
  ThreadMeetingPoint point(2, patience);
  point.give_up(1, "no reason");
  EXPECT_THROW(point.allgather(0, std::vector<std::byte>(1)), Error);
}

}  // namespace
}  // namespace cuboid::detail
