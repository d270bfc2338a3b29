// Nobody waits for ever, nor is given up while something moves.

#include <cuboid/point_to_point.hpp>
#include <cuboid/window.hpp>

#include "tests/collectives/communicator/errors_of.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace cuboid::detail {
namespace deadlines_test {

using namespace std::chrono_literals;

TEST(Deadline, NamesTheRankThatDoesNotCome) {
  for (const int ranks : {2, 3, 5}) {
    std::atomic<int> given_up = 0;
    const auto errors = errors_of(ranks, 1s, [&](Communicator& c) {
      if (c.rank() == ranks - 1) {  // is alive, but busy with something else
        constexpr int patience = 2000;
        for (int pause = 0; given_up < ranks - 1 && pause < patience; ++pause)
          std::this_thread::sleep_for(10ms);
        return;
      }
      try {
        barrier(c);
      } catch (...) {
        ++given_up;
        throw;
      }
      ++given_up;
    });
    EXPECT_EQ(errors.size(), static_cast<std::size_t>(ranks) - 1);
    bool named = false;
    for (const auto& [rank, error] : errors) {
      const std::string message = error.what();
      EXPECT_NE(message.find("barrier"), std::string::npos) << message;
      // The first to give up may be noticed by the others before their own deadline.
      if (error.code() == ErrorCode::peer_failed) continue;
      EXPECT_EQ(error.code(), ErrorCode::timeout) << message;
      EXPECT_NE(message.find("CUBOID_TIMEOUT"), std::string::npos) << message;
      named |= message.find(fmt::format("rank {} on", ranks - 1)) != std::string::npos;
    }
    EXPECT_TRUE(named) << ranks << " ranks";
  }
}

// Where the owner must answer, it may do so when nobody waits any more.
void expect_memory_of_a_late_get_left_to_the_caller(
    const std::function<void(Window&, Window::GetNumber)>& wait) {
  ASSERT_EQ(setenv("UCX_TLS", "tcp", 1), 0);
  std::atomic<bool> busy = false, freed = false, answered = false;
  const auto wait_for = [](const std::atomic<bool>& flag) {
    constexpr int patience = 2000;
    for (int pause = 0; !flag && pause < patience; ++pause) std::this_thread::sleep_for(10ms);
  };
  const auto errors = errors_of(2, 1s, [&](Communicator& c) {
    constexpr std::size_t bytes = 1 << 20;
    Window window(c, bytes);
    window.fence();
    if (c.rank() == 1) {  // is alive, but busy with something else
      busy = true;
      wait_for(freed);
      try {
        window.fence();
      } catch (const Error&) {
        answered = true;
        throw;
      }
      return;
    }
    auto mine = std::make_unique<std::vector<std::byte>>(bytes);
    wait_for(busy);
    const auto get = window.get(*mine, 1, 0);
    try {
      wait(window, get);
    } catch (const Error&) {
      mine.reset();
      freed = true;
      wait_for(answered);
      throw;
    }
  });
  ASSERT_EQ(errors.size(), 2U);
  for (const auto& [rank, error] : errors) {
    const std::string message = error.what();
    EXPECT_TRUE(error.code() == ErrorCode::timeout ||
                (rank == 1 && error.code() == ErrorCode::peer_failed))
        << message;
    EXPECT_NE(message.find(rank == 0 ? "at rank 1" : "rank 0"), std::string::npos) << message;
  }
}

TEST(Deadline, OfAFlushLeavesTheMemoryToTheCaller) {
  expect_memory_of_a_late_get_left_to_the_caller(
      [](Window& window, Window::GetNumber) { window.flush(); });
}

TEST(Deadline, OfAGetLeavesTheMemoryToTheCaller) {
  expect_memory_of_a_late_get_left_to_the_caller(
      [](Window& window, Window::GetNumber get) { window.wait(get); });
}

TEST(Deadline, IsOneForAllThatAFailureLeavesBehind) {
  std::atomic<bool> given_up = false;
  const auto start = std::chrono::steady_clock::now();
  const auto errors = errors_of(2, 1s, [&](Communicator& c) {
    if (c.rank() == 1) {
      constexpr int patience = 2000;
      for (int pause = 0; !given_up && pause < patience; ++pause) std::this_thread::sleep_for(10ms);
      return;
    }
    constexpr std::size_t many = 30;
    std::vector<int> data(many);
    try {
      std::vector<Request> requests;
      for (std::size_t i = 0; i < many; ++i)
        requests.push_back(start_receive(c, std::span(data).subspan(i, 1), 1, static_cast<int>(i)));
      requests.front().wait();
    } catch (...) {
      given_up = true;
      throw;
    }
  });
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors.front().second.code(), ErrorCode::timeout);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
}

// Waits by `once`, over and over, for a rank that does not come.
void expect_deadline(const std::function<bool(Request&)>& once) {
  std::atomic<bool> given_up = false;
  const auto errors = errors_of(2, 1s, [&](Communicator& c) {
    if (c.rank() == 1) {
      const auto patience = std::chrono::steady_clock::now() + 20s;
      while (!given_up && std::chrono::steady_clock::now() < patience)
        std::this_thread::sleep_for(10ms);
      return;
    }
    Request request = start_barrier(c);
    try {
      const auto patience = std::chrono::steady_clock::now() + 15s;
      while (!once(request) && std::chrono::steady_clock::now() < patience) {
      }
    } catch (...) {
      given_up = true;
      throw;
    }
    given_up = true;
    throw Wrong("waited in vain for longer than the deadline");
  });
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors.front().second.code(), ErrorCode::timeout);
}

TEST(Deadline, HoldsForShortWaitsInALoopToo) {
  expect_deadline([](Request& request) { return request.wait_for(50ms); });
}

TEST(Deadline, HoldsForTestsInALoopToo) {
  expect_deadline([](Request& request) { return request.test(); });
}

TEST(Deadline, IsNotUpWhileSomethingMoves) {
  const auto errors = errors_of(3, 2s, [](Communicator& c) {
    // Slower in all than the deadline, but not at any one step.
    for (int step = 0; step < 6; ++step) {
      if (c.rank() == 1) std::this_thread::sleep_for(500ms);
      barrier(c);
    }
  });
  EXPECT_TRUE(errors.empty()) << errors.front().second.what();
}

}  // namespace deadlines_test
}  // namespace cuboid::detail
