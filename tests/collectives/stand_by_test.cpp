#include <cuboid/collectives/barrier.hpp>
#include <cuboid/collectives/stand_by.hpp>

#include <thread>

#include "on_ranks.hpp"
#include <gtest/gtest.h>

namespace cuboid {
namespace {

using namespace std::chrono_literals;

TEST(StandBy, OutlastsTheTimeout) {
  for (const int workers : {1, 2, 4, 5}) {
    run_ranks(
        5,
        [&](Communicator& world) {
          StandBy stand_by(world, workers);
          const auto work = [&] {
            if (world.rank() < workers) std::this_thread::sleep_for(2500ms);
          };
          stand_by.run(work);
          barrier(world);
        },
        with_timeout(1s));
  }
}

TEST(StandBy, AgainAndAgain) {
  on_worlds([](Communicator& world) {
    StandBy stand_by(world, (world.size() + 2) / 3);
    for (int run = 0; run < 20; ++run) stand_by.run([] {});
  });
}

TEST(StandBy, EndsWithAnErrorOfTheWorkers) {
  run_ranks(3, [](Communicator& world) {
    StandBy stand_by(world, 1);
    bool threw = false;
    try {
      stand_by.run([&] {
        if (world.rank() == 0) throw Error(ErrorCode::io, "no more paper");
      });
    } catch (const Error& error) {
      threw = error.code() == ErrorCode::io;
    }
    require(threw == (world.rank() == 0), "rank {}: {}", world.rank(), threw);
    barrier(world);
  });
}

}  // namespace
}  // namespace cuboid
