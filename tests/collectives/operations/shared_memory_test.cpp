// Collectives through memory that all ranks share, ranks being threads: every operation, alone, in
// flight together with others, on many communicators, and what goes wrong with them.

#include <cuboid/collectives.hpp>

#include "collectives/communicator/communicator_state.hpp"
#include "tests/collectives/communicator/errors_of.hpp"
#include "tests/collectives/operations/calls.hpp"

#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace cuboid::detail {
namespace shared_memory_test {

using namespace std::chrono_literals;

constexpr const char* operations[] = {"barrier",   "broadcast",      "reduce",  "allreduce",
                                      "allgather", "reduce_scatter", "alltoall"};

// Nothing else may run.
Communicator on_board(const Communicator& c) {
  require(c.size() == 1 || c.state().group->board() != nullptr, "there is no board");
  std::string rules;
  for (const char* operation : operations)
    rules += (rules.empty() ? "" : ",") + std::string(operation) + ":shared_memory";
  return c.size() == 1 ? c : c.with_algorithms(rules);
}

void check_all(const Communicator& c, std::size_t count, unsigned salt) {
  const Reduction sum = Reduction::Kind::sum;
  const int root = static_cast<int>(salt) % c.size();
  for (const InPlace in_place : {InPlace::no, InPlace::yes}) {
    check_broadcast<double>(c, count, root, salt);
    check_reduce<double>(c, count, root, sum, in_place, salt);
    check_allreduce<float>(c, count, sum, in_place, salt);
    check_allgather<std::int16_t>(c, count, in_place, salt);
    check_reduce_scatter<double>(c, count, sum, in_place, salt);
    check_alltoall<std::int32_t>(c, count, salt);
    barrier(c);
  }
}

TEST(SharedMemory, ServesEveryOperation) {
  on_worlds([](Communicator& world) {
    const Communicator c = on_board(world);
    unsigned salt = 0;
    for (const std::size_t count : {0, 1, 2, 5, 7, 100, 1000, 5003, 40009})
      check_all(c, count, ++salt);
  });
}

TEST(SharedMemory, ServesLongMessages) {
  on_worlds(
      [](Communicator& world) {
        const Communicator c = on_board(world);
        check_all(c, 300'007, 3);
      },
      {2, 3, 8});
}

TEST(SharedMemory, CombinesInRankOrder) {
  on_worlds([](Communicator& world) {
    const Communicator c = on_board(world);
    const Reduction ordered = Reduction::user(combine_all<RankRange>, Commutative::no);
    for (const std::size_t count : {1, 3, 1000, 20'000}) {
      for (const InPlace in_place : {InPlace::no, InPlace::yes}) {
        for (int root = 0; root < c.size(); ++root)
          check_reduce<RankRange>(c, count, root, ordered, in_place, 0);
        check_allreduce<RankRange>(c, count, ordered, in_place, 0);
        check_reduce_scatter<RankRange>(c, count, ordered, InPlace::no, 0);
      }
    }
  });
}

TEST(SharedMemory, TheSameBitsOnEveryRankAndRun) {
  on_worlds([](Communicator& world) {
    const Communicator c = on_board(world);
    for (const std::size_t count : {1, 100, 10'000}) {
      std::vector<float> mine(count), first(count), again(count);
      for (std::size_t i = 0; i < count; ++i)
        mine[i] = 1.0F / static_cast<float>(1 + i + 1000 * static_cast<std::size_t>(c.rank()));
      allreduce(c, mine, first, Reduction::Kind::sum);
      allreduce(c, mine, again, Reduction::Kind::sum);
      require(first == again, "another run has other bits");
      broadcast(c, again, 0);
      require(first == again, "another rank has other bits");
    }
  });
}

TEST(SharedMemory, UnevenBlocks) {
  on_worlds([](Communicator& world) {
    const Communicator c = on_board(world);
    for (const std::size_t count : {0, 1, 100, 5000}) {
      const auto layout = BlockLayout::uneven(c.size(), count, 2);
      check_allgatherv<double>(c, layout, InPlace::no, 1);
      check_allgatherv<double>(c, layout, InPlace::yes, 2);
      check_reduce_scatterv<double>(c, BlockLayout::uneven(c.size(), count, 0),
                                    Reduction::Kind::sum, InPlace::no, 3);
    }
  });
}

// Each rank is late now and then, by its own pattern, and the root changes: rows are reused while
// others still read.
TEST(SharedMemory, NobodyWritesOverWhatALateRankReads) {
  on_worlds(
      [](Communicator& world) {
        const Communicator c = on_board(world);
        std::uint32_t state = 12345 + static_cast<std::uint32_t>(c.rank());
        for (unsigned round = 0; round < 300; ++round) {
          state = state * 1664525 + 1013904223;
          if (state >> 29 == 0) std::this_thread::sleep_for(std::chrono::microseconds(state >> 22));
          const int root = static_cast<int>(round / 7) % c.size();
          const std::size_t count = round % 3 == 0 ? 1 : round % 3 == 1 ? 500 : 9000;
          check_broadcast<int>(c, count, root, round);
          if (round % 5 == 0) check_allreduce<int>(c, count, Reduction::Kind::sum, InPlace::no, 1);
          if (round % 11 == 0) barrier(c);
        }
      },
      {2, 3, 5, 8});
}

TEST(SharedMemory, SeveralInFlight) {
  on_worlds([](Communicator& world) {
    const Communicator c = on_board(world);
    constexpr int calls = 20;
    constexpr std::size_t count = 3000;
    std::vector<std::vector<int>> sent(calls), sums(calls), sums_of(calls);
    std::vector<Request> requests;
    for (int call = 0; call < calls; ++call) {
      auto& buffer = sent[static_cast<std::size_t>(call)];
      buffer.assign(count, call % c.size() == c.rank() ? call : -1);
      requests.push_back(start_broadcast(c, buffer, call % c.size()));
      auto& mine = sums_of[static_cast<std::size_t>(call)];
      auto& sum = sums[static_cast<std::size_t>(call)];
      mine.assign(count, call + c.rank());
      sum.resize(count);
      requests.push_back(start_allreduce(c, mine, sum, Reduction::Kind::sum));
    }
    // The last first: those before come with it.
    for (auto request = requests.rbegin(); request != requests.rend(); ++request) request->wait();
    for (int call = 0; call < calls; ++call) {
      const int ranks = c.size();
      require(sent[static_cast<std::size_t>(call)] == std::vector<int>(count, call),
              "broadcast {} is wrong", call);
      require(sums[static_cast<std::size_t>(call)] ==
                  std::vector<int>(count, ranks * call + ranks * (ranks - 1) / 2),
              "all-reduce {} is wrong", call);
    }
  });
}

TEST(SharedMemory, PlansRunAgain) {
  on_worlds([](Communicator& world) {
    const Communicator c = on_board(world);
    std::vector<double> mine(2000), sum(2000), sent(700);
    CollectivePlan reduces = plan_allreduce(c, mine, sum, Reduction::Kind::sum);
    CollectivePlan sends = plan_broadcast(c, sent, c.size() - 1);
    for (int run = 0; run < 20; ++run) {
      std::ranges::fill(mine, run);
      std::ranges::fill(sent, c.rank() == c.size() - 1 ? run : -1);
      Request first = reduces.start();
      sends.start().wait();
      first.wait();
      require(sum == std::vector<double>(2000, run * c.size()), "run {}: the sum is wrong", run);
      require(sent == std::vector<double>(700, run), "run {}: the broadcast is wrong", run);
    }
  });
}

// Rows, columns and all, whose collectives are in flight together; made again and again, so that
// their numbers go from one to the other.
TEST(SharedMemory, CommunicatorsComeAndGo) {
  on_worlds(
      [](Communicator& world) {
        for (int round = 0; round < 40; ++round) {
          const Communicator row = on_board(world.split(world.rank() / 2));
          const Communicator column = on_board(world.split(world.rank() % 2));
          const auto salt = static_cast<unsigned>(round);
          std::vector<int> mine(50, row.rank() == 0 ? round : -1);
          std::vector<int> theirs(50, column.rank() == 0 ? round + 1 : -1);
          Request first = start_broadcast(row, mine, 0);
          Request second = start_broadcast(column, theirs, 0);
          check_allreduce<int>(row, 100, Reduction::Kind::sum, InPlace::no, salt);
          second.wait();
          first.wait();
          require(mine == std::vector<int>(50, round), "the row's broadcast is wrong");
          require(theirs == std::vector<int>(50, round + 1), "the column's broadcast is wrong");
          if (column.rank() != 0) continue;  // some let it go while others still read
          check_broadcast<int>(row, 10, 0, salt);
        }
      },
      {4, 8});
}

TEST(SharedMemory, ManyCommunicatorsAtOnceFallBack) {
  on_worlds(
      [](Communicator& world) {
        std::vector<Communicator> all;
        for (std::size_t i = 0; i < BoardMemory::boards + 5; ++i) all.push_back(world.duplicate());
        for (const Communicator& c : all)
          check_allreduce<int>(c, 100, Reduction::Kind::sum, InPlace::no, 1);
        require(all.front().state().group->board() != nullptr, "the first has no board");
        require(all.back().state().group->board() == nullptr, "the last has a board");
        all.clear();
        barrier(world);
        const Communicator again = world.duplicate();
        require(again.state().group->board() != nullptr, "numbers are not used again");
        check_allreduce<int>(on_board(again), 100, Reduction::Kind::sum, InPlace::no, 1);
      },
      {3});
}

TEST(SharedMemory, OtherLengthsAreFound) {
  for (const std::size_t wrong : {3, 5, 5000}) {
    const auto errors = errors_of(3, 5s, [&](Communicator& world) {
      const Communicator c = on_board(world);
      std::vector<int> buffer(c.rank() == 1 ? wrong : 4);
      broadcast(c, buffer, 0);
      allreduce(c, buffer, buffer, Reduction::Kind::sum);
    });
    const auto found = std::ranges::find(errors, 1, [](const auto& one) { return one.first; });
    ASSERT_NE(found, errors.end());
    EXPECT_EQ(found->second.code(), ErrorCode::mismatch) << found->second.what();
    EXPECT_NE(std::string(found->second.what()).find("from rank 0"), std::string::npos);
  }
}

TEST(SharedMemory, AWaitEndsWithTheRankWaitedFor) {
  const auto errors = errors_of(3, 20s, [](Communicator& world) {
    const Communicator c = on_board(world);
    std::vector<int> buffer(100'000);
    if (c.rank() == 2) throw Error(ErrorCode::invalid_argument, "enough");
    allreduce(c, buffer, buffer, Reduction::Kind::sum);
  });
  EXPECT_EQ(errors.size(), 3U);
  for (const auto& [rank, error] : errors) {
    if (rank == 2) continue;
    EXPECT_EQ(error.code(), ErrorCode::peer_failed) << error.what();
    EXPECT_NE(std::string(error.what()).find("rank 2"), std::string::npos) << error.what();
  }
}

TEST(SharedMemory, TheDeadlineNamesWhomItWaitsFor) {
  const auto errors = errors_of(2, 1s, [](Communicator& world) {
    const Communicator c = on_board(world);
    int value = 0;
    if (c.rank() == 1) std::this_thread::sleep_for(3s);
    if (c.rank() == 0) broadcast(c, std::span(&value, 1), 1);
  });
  ASSERT_EQ(errors.size(), 1U);
  const std::string message = errors.front().second.what();
  EXPECT_EQ(errors.front().second.code(), ErrorCode::timeout) << message;
  EXPECT_NE(message.find("rank 1"), std::string::npos) << message;
  EXPECT_NE(message.find("write to shared memory"), std::string::npos) << message;
}

}  // namespace shared_memory_test
}  // namespace cuboid::detail
