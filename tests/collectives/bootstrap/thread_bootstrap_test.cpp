// Ranks as threads meet: what all have brought reaches all.

#include "collectives/bootstrap/thread_bootstrap.hpp"

#include <cuboid/error.hpp>

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace thread_bootstrap_test {

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

TEST(ThreadMeetingPoint, WhoeverIsMissingIsNamed) {
  ThreadMeetingPoint point(4, std::chrono::milliseconds(50));
  const std::jthread other(
      [&] { EXPECT_THROW(point.allgather(2, std::vector<std::byte>(1)), Error); });
  try {
    point.allgather(0, std::vector<std::byte>(1));
    FAIL() << "two ranks are missing";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("ranks 1, 3 of 4 did not come"), std::string::npos)
        << error.what();
  }
}

}  // namespace thread_bootstrap_test
}  // namespace cuboid::detail
