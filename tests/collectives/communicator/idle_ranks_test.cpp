#include "collectives/communicator/idle_ranks.hpp"

#include <cuboid/collectives.hpp>

#include "tests/collectives/on_ranks.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace idle_ranks_test {

using namespace std::chrono_literals;

TEST(IdleRanks, OutlastsTheTimeout) {
  for (const int workers : {1, 2, 4, 5}) {
    run_ranks(
        5,
        [&](Communicator& world) {
          IdleRanks idle_ranks(world, workers);
          const auto work = [&] {
            if (world.rank() < workers) std::this_thread::sleep_for(2500ms);
          };
          idle_ranks.run(work);
          barrier(world);
        },
        with_timeout(1s));
  }
}

TEST(IdleRanks, AgainAndAgain) {
  on_worlds([](Communicator& world) {
    IdleRanks idle_ranks(world, (world.size() + 2) / 3);
    for (int run = 0; run < 20; ++run) idle_ranks.run([] {});
  });
}

TEST(IdleRanks, EndsWithAnErrorOfTheWorkers) {
  run_ranks(3, [](Communicator& world) {
    IdleRanks idle_ranks(world, 1);
    bool threw = false;
    try {
      idle_ranks.run([&] {
        if (world.rank() == 0) throw Error(ErrorCode::io, "no more paper");
      });
    } catch (const Error& error) {
      threw = error.code() == ErrorCode::io;
    }
    require(threw == (world.rank() == 0), "rank {}: {}", world.rank(), threw);
    barrier(world);
  });
}

}  // namespace idle_ranks_test
}  // namespace cuboid::detail
