#include "collectives/communicator/memory_wait.hpp"

#include "tests/collectives/on_ranks.hpp"

#include <array>
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace memory_wait_test {

using namespace std::chrono_literals;

/// Waits for `peer` until `word` is set in the memory that the ranks share.
void wait_for(const Communicator& world, int peer, const std::atomic<bool>& word) {
  MemoryWait wait(world, "test");
  while (!word) {
    if (wait.pause()) wait.look_after(std::array{peer});
  }
}

TEST(MemoryWait, EndsWithWhatIsWrittenHoweverLateWithinTheDeadline) {
  std::atomic<bool> word = false;
  run_ranks(2, [&](Communicator& world) {
    if (world.rank() == 1) {
      std::this_thread::sleep_for(300ms);
      word = true;
    } else {
      wait_for(world, 1, word);
    }
  });
}

TEST(MemoryWait, NamesARankThatGaveUpThoughItWaitsForAnother) {
  const std::atomic<bool> never = false;
  run_ranks(
      3,
      [&](Communicator& world) {
        if (world.rank() == 2) return world.revoke("no more paper");
        require_error([&] { wait_for(world, 1 - world.rank(), never); }, ErrorCode::peer_failed,
                      {"test", "rank 2 on", "no more paper"});
        require_error([&] { wait_for(world, 1 - world.rank(), never); }, ErrorCode::peer_failed,
                      {"rank 2 on"});
      },
      with_timeout(20s));
}

TEST(MemoryWait, NamesARankThatDoesNotAnswerThoughItWaitsForAnother) {
  const std::atomic<bool> never = false;
  run_ranks(
      3,
      [&](Communicator& world) {
        if (world.rank() == 2) return std::this_thread::sleep_for(5s);
        require_error(
            [&] { wait_for(world, 1 - world.rank(), never); }, ErrorCode::timeout,
            {"rank 2 on", "does not answer", fmt::format("waiting for rank {}", 1 - world.rank())});
      },
      with_timeout(1s));
}

TEST(MemoryWait, NamesARankThatHasLeft) {
  const std::atomic<bool> never = false;
  run_ranks(
      2,
      [&](Communicator& world) {
        if (world.rank() == 0) {
          require_error([&] { wait_for(world, 1, never); }, ErrorCode::peer_failed, {"rank 1 on"});
        }
      },
      with_timeout(20s));
}

}  // namespace memory_wait_test
}  // namespace cuboid::detail
