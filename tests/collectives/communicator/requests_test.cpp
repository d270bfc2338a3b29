// Collectives that are started and waited for apart, and plans that run many times.

#include "collectives/communicator/communicator_state.hpp"
#include "tests/collectives/operations/calls.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <optional>
#include <random>
#include <thread>
#include <vector>

namespace cuboid::detail {
namespace requests_test {

using namespace std::chrono_literals;

TEST(Requests, ADefaultOneIsComplete) {
  Request request;
  EXPECT_TRUE(request.test());
  EXPECT_TRUE(request.wait_for(0s));
  request.wait();
}

// One broadcast per root, all in flight at once.
struct Broadcasts {
  std::vector<std::vector<int>> buffers;
  std::vector<Request> requests;

  Broadcasts(const Communicator& c, std::size_t count, unsigned salt) {
    for (int root = 0; root < c.size(); ++root) {
      buffers.push_back(root == c.rank() ? pattern<int>(root, count, salt)
                                         : std::vector<int>(count));
    }
    for (int root = 0; root < c.size(); ++root)
      requests.push_back(start_broadcast(c, buffers[static_cast<std::size_t>(root)], root));
  }
  void require_right(unsigned salt) const {
    for (std::size_t root = 0; root < buffers.size(); ++root) {
      require(buffers[root] == pattern<int>(static_cast<int>(root), buffers[root].size(), salt),
              "the broadcast from {} is wrong", root);
    }
  }
};

TEST(Requests, OfEverOtherLengthsKeepLittleMemory) {
  on_worlds(
      [](Communicator& c) {
        std::vector<double> first(300000, c.rank());
        for (int call = 0; call < 40; ++call) {
          const auto length = static_cast<std::size_t>(200000 + call);
          std::vector<double> data(length, 1), sum(length);
          Request in_flight = start_allreduce(c, first, first, Reduction::Kind::maximum);
          allreduce(c, data, sum, Reduction::Kind::sum);
          in_flight.wait();
          require(sum.back() == c.size() && first.back() == c.size() - 1, "a wrong result");
          // Beside what runs.
          const std::size_t most = 3 * PlanCache::most_scratch_bytes;
          const std::size_t kept = c.state().plans.scratch_bytes();
          require(kept <= most, "{} bytes of scratch memory are kept", kept);
        }
      },
      {2, 3, 8});
}

TEST(Requests, SeveralInFlightWaitedForInAnyOrder) {
  on_worlds([](Communicator& c) {
    std::mt19937 random(static_cast<unsigned>(c.rank()));  // every rank in another order
    for (const std::size_t count : {1, 1000, 30000}) {
      for (unsigned salt = 0; salt < 3; ++salt) {
        Broadcasts broadcasts(c, count, salt);
        std::shuffle(broadcasts.requests.begin(), broadcasts.requests.end(), random);
        for (Request& request : broadcasts.requests) request.wait();
        broadcasts.require_right(salt);
      }
    }
  });
}

TEST(Requests, MoreAtOnceThanTagsTellApartDoNotMix) {
  run_ranks(3, [](Communicator& world) {
    const Communicator c = world.with_algorithms("broadcast:chain");
    constexpr std::size_t calls = 300;
    std::vector<int> data(calls, c.rank());
    // Rank 0 comes late: what rank 1 passes on of its first broadcast must not be taken for what
    // it sends itself 256 calls later.
    if (c.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::vector<Request> requests;
    for (std::size_t i = 0; i < calls; ++i)
      requests.push_back(
          start_broadcast(c, std::span(data).subspan(i, 1), static_cast<int>(i) % c.size()));
    for (Request& request : requests) request.wait();
    for (std::size_t i = 0; i < calls; ++i)
      require(data[i] == static_cast<int>(i) % c.size(), "broadcast {} brought {}", i, data[i]);
  });
}

TEST(Requests, EqualCallsInFlightDoNotMix) {
  on_worlds([](Communicator& c) {
    constexpr int calls = 10;
    std::vector<std::array<int, 2>> inputs;
    std::vector<std::array<int, 2>> sums(calls);
    std::vector<Request> requests;
    for (int call = 0; call < calls; ++call) inputs.push_back({call, c.rank()});
    for (std::size_t call = 0; call < calls; ++call)
      requests.push_back(start_allreduce(c, inputs[call], sums[call], Reduction::Kind::sum));
    while (!requests.empty()) {
      requests.back().wait();
      requests.pop_back();
    }
    for (int call = 0; call < calls; ++call) {
      const auto& sum = sums[static_cast<std::size_t>(call)];
      require(sum[0] == call * c.size() && sum[1] == c.size() * (c.size() - 1) / 2,
              "call {} gave {}, {}", call, sum[0], sum[1]);
    }
  });
}

TEST(Requests, GetOnByThemselvesWithAHelperThread) {
  Environment environment = with_timeout(20s);
  environment.progress = ProgressBy::thread;
  for (const int ranks : {3, 5}) {
    std::atomic<int> done = 0;
    run_ranks(
        ranks,
        [&](Communicator& c) {
          const Communicator chain = c.with_algorithms("broadcast:chain");
          std::vector<int> buffer(50000, c.rank() == 0 ? 7 : 0);
          barrier(c);
          Request request = start_broadcast(chain, buffer, 0);
          // Nobody between the root and the last rank calls Cuboid until that one has it all.
          if (c.rank() == c.size() - 1) {
            request.wait();
            done = 1;
          }
          const auto patience = std::chrono::steady_clock::now() + 15s;
          while (done == 0) {
            require(std::chrono::steady_clock::now() < patience, "nothing gets on");
            std::this_thread::sleep_for(1ms);
          }
          request.wait();
          require(buffer == std::vector<int>(50000, 7), "wrong");
        },
        environment);
  }
}

// Each rank's second thread starts an operation of another communicator while its first one waits.
TEST(Requests, OfTwoThreadsOfARankAreRefusedWithAHelperThread) {
  Environment environment = with_timeout(20s);
  environment.progress = ProgressBy::thread;
  run_ranks(
      2,
      [](Communicator& c) {
        const Communicator other = c.duplicate();
        std::atomic<bool> refused = false;
        std::jthread second;
        if (c.rank() == 0) {
          second = std::jthread([&] {
            std::vector<int> data(10);
            const auto patience = std::chrono::steady_clock::now() + 10s;
            while (!refused && std::chrono::steady_clock::now() < patience) {
              std::this_thread::sleep_for(100ms);
              refused = error_of([&] { start_broadcast(other, data, 0).wait(); }).code() ==
                        ErrorCode::invalid_argument;
            }
          });
        } else {
          std::this_thread::sleep_for(1s);
        }
        barrier(c);
        if (second.joinable()) second.join();
        require(c.rank() != 0 || refused, "a second thread got in");
      },
      environment);
}

TEST(Requests, TestMakesProgress) {
  on_worlds([](Communicator& c) {
    const auto mine = contribution<double>(c.rank(), 20000, 1);
    std::vector<double> sum(mine.size());
    Request request = start_allreduce(c, mine, sum, Reduction::Kind::sum);
    while (!request.test()) std::this_thread::yield();
    require(sum == combined<double>(c.size(), mine.size(), 1, Reduction::Kind::sum), "wrong");
    require(request.test(), "complete no more");
    request.wait();
  });
}

TEST(Requests, WaitingForOneCarriesTheOthersOn) {
  on_worlds([](Communicator& c) {
    auto first = c.rank() == 0 ? pattern<int>(0, 50000, 1) : std::vector<int>(50000);
    Request long_one = start_broadcast(c, first, 0);
    for (int i = 0; i < 20; ++i) barrier(c);
    long_one.wait();
    require(first == pattern<int>(0, 50000, 1), "wrong");
  });
}

TEST(Requests, WaitForGivesUpInTimeAndTheCollectiveGoesOn) {
  on_worlds(
      [](Communicator& c) {
        const Communicator other = c.duplicate();
        std::array<int, 1> value = {c.rank() == 0 ? 42 : 0};
        if (c.rank() == 0) {
          barrier(c);  // once the others have waited in vain
          broadcast(other, value, 0);
          return;
        }
        Request request = start_broadcast(other, value, 0);
        require(!request.wait_for(0s), "complete before it was sent");
        require(!request.wait_for(10ms), "complete before it was sent");
        require(!request.test(), "complete before it was sent");
        barrier(c);
        constexpr double for_ever = std::numeric_limits<double>::infinity();
        require(request.wait_for(std::chrono::duration<double>(for_ever)), "not waited for");
        require(value[0] == 42, "{} arrived", value[0]);
      },
      {2, 5});
}

TEST(Requests, DestroyingOneWaitsForIt) {
  on_worlds([](Communicator& c) {
    std::vector<int> value = c.rank() == 0 ? pattern<int>(0, 5000, 3) : std::vector<int>(5000);
    { const Request request = start_broadcast(c, value, 0); }
    require(value == pattern<int>(0, 5000, 3), "it was not waited for");
    std::array<int, 1> first = {c.rank()};
    std::array<int, 1> second = {c.rank()};
    Request request = start_broadcast(c, first, 0);
    request = start_broadcast(c, second, c.size() - 1);
    request.wait();
    require(second[0] == c.size() - 1, "second is {}", second[0]);
    barrier(c);
  });
}

TEST(Requests, OnSeveralCommunicatorsAtOnce) {
  on_worlds([](Communicator& c) {
    // Lines of a grid two wide, and the whole world, all at the same time.
    const Communicator row = c.split(c.rank() / 2, c.rank());
    const Communicator column = c.split(c.rank() % 2, c.rank());
    const Communicator twin = c.duplicate();
    const std::array<int, 1> one = {1};
    std::array<int, 1> in_row{}, in_column{}, in_twin{}, everywhere{};
    for (int round = 0; round < 20; ++round) {
      Request requests[] = {start_allreduce(row, one, in_row, Reduction::Kind::sum),
                            start_allreduce(c, one, everywhere, Reduction::Kind::sum),
                            start_allreduce(column, one, in_column, Reduction::Kind::sum),
                            start_allreduce(twin, one, in_twin, Reduction::Kind::sum)};
      for (const int order : {2, 0, 3, 1}) requests[(order + c.rank()) % 4].wait();
      require(in_row[0] == row.size() && in_column[0] == column.size() &&
                  everywhere[0] == c.size() && in_twin[0] == c.size(),
              "{} {} {} {}", in_row[0], in_column[0], everywhere[0], in_twin[0]);
    }
  });
}

// Runs a plan on contents that `fill(round)` writes into its input, always in the same place.
template <class Fill, class RequireRight>
void run_often(CollectivePlan plan, Fill fill, RequireRight require_right) {
  require(!plan.algorithm().empty(), "a plan must say its algorithm");
  for (unsigned round = 0; round < 6; ++round) {
    fill(round);
    if (round % 2 == 0) {
      plan.run();
    } else {
      plan.start().wait();
    }
    require_right(round);
  }
}

TEST(Plans, RunManyTimesWithChangingContents) {
  on_worlds([](Communicator& c) {
    const auto ranks = static_cast<std::size_t>(c.size());
    const int root = c.size() - 1;
    for (const std::size_t count : {1, 20000}) {
      std::vector<int> block(count);
      std::vector<int> all(count * ranks);
      const auto fill_block = [&](unsigned round) {
        std::ranges::copy(contribution<int>(c.rank(), count, round), block.begin());
      };
      const auto sum = [&](unsigned round) {
        return combined<int>(c.size(), count, round, Reduction::Kind::sum);
      };
      std::vector<int> result(count);
      run_often(plan_allreduce(c, block, result, Reduction::Kind::sum), fill_block,
                [&](unsigned round) { require(result == sum(round), "allreduce, {}", round); });
      run_often(plan_reduce(c, block, result, Reduction::Kind::sum, root), fill_block,
                [&](unsigned round) {
                  require(c.rank() != root || result == sum(round), "reduce, {}", round);
                });
      run_often(
          plan_broadcast(c, block, root),
          [&](unsigned round) {
            if (c.rank() == root)
              std::ranges::copy(pattern<int>(root, count, round), block.begin());
          },
          [&](unsigned round) {
            require(block == pattern<int>(root, count, round), "broadcast, {}", round);
          });
      const auto fill_pattern = [&](unsigned round) {
        std::ranges::copy(pattern<int>(c.rank(), count, round), block.begin());
      };
      const auto layout = BlockLayout::equal(c.size(), count);
      run_often(plan_allgather(c, block, all), fill_pattern, [&](unsigned round) {
        require(all == all_blocks<int>(layout, round), "allgather, {}", round);
      });
      run_often(plan_gather(c, block, all, root), fill_pattern, [&](unsigned round) {
        require(c.rank() != root || all == all_blocks<int>(layout, round), "gather, {}", round);
      });
      run_often(
          plan_scatter(c, all, block, root),
          [&](unsigned round) { std::ranges::copy(all_blocks<int>(layout, round), all.begin()); },
          [&](unsigned round) {
            require(block == pattern<int>(c.rank(), count, round), "scatter, {}", round);
          });
    }
    plan_barrier(c).run();
  });
}

TEST(Plans, OneRunAtATime) {
  on_worlds(
      [](Communicator& c) {
        const Communicator other = c.duplicate();
        std::array<int, 1> value = {c.rank()};
        CollectivePlan plan = plan_broadcast(other, value, 0);
        if (c.rank() == 0) {
          barrier(c);
          plan.run();
        } else {
          Request request = plan.start();
          require_error([&] { plan.start(); }, ErrorCode::invalid_argument,
                        {fmt::format("rank {}", c.rank()), "broadcast", "still in flight"});
          barrier(c);
          request.wait();
        }
        require(value[0] == 0, "{} arrived", value[0]);
      },
      {2, 3});
}

TEST(Plans, TakeOtherBuffers) {
  on_worlds([](Communicator& c) {
    constexpr std::size_t count = 30000;
    std::vector<std::vector<int>> buffers(3, std::vector<int>(count));
    CollectivePlan plan = plan_broadcast(c, Buffer(nullptr, count, datatype_of<int>()), 0);
    for (unsigned salt = 0; salt < buffers.size(); ++salt) {
      if (c.rank() == 0) buffers[salt] = pattern<int>(0, count, salt);
      plan.rebind(buffers[salt].data(), buffers[salt].data());
      plan.run();
    }
    for (unsigned salt = 0; salt < buffers.size(); ++salt) {
      require(buffers[salt] == pattern<int>(0, count, salt), "broadcast {} is wrong", salt);
    }
  });
}

TEST(Plans, InPlaceStayInPlace) {
  on_worlds([](Communicator& c) {
    std::vector<int> first(100, 1), second(100, 2), apart(100);
    CollectivePlan plan = plan_allreduce(c, first, first, Reduction::Kind::sum);
    plan.rebind(second.data(), second.data());
    plan.run();
    require(second == std::vector<int>(100, 2 * c.size()), "wrong");
    require_error([&] { plan.rebind(first.data(), apart.data()); }, ErrorCode::invalid_argument,
                  {"in place"});
  });
}

TEST(Plans, OutliveTheirCommunicator) {
  on_worlds([](Communicator& c) {
    std::array<int, 1> value = {c.rank()};
    auto other = std::make_optional(c.duplicate());
    CollectivePlan plan = plan_broadcast(*other, value, 0);
    other.reset();
    // A new communicator must not get the number that the plan still uses.
    const Communicator next = c.duplicate();
    std::array<int, 1> second = {c.rank() + 100};
    Request request = start_broadcast(next, second, c.size() - 1);
    plan.run();
    request.wait();
    require(value[0] == 0 && second[0] == c.size() + 99, "{} and {}", value[0], second[0]);
  });
}

}  // namespace requests_test
}  // namespace cuboid::detail
