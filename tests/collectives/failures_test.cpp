// What goes wrong must be said: by whom, to whom, what to do; and nobody waits for ever.

#include <cuboid/collectives/point_to_point.hpp>
#include <cuboid/collectives/transport/thread_bootstrap.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "calls.hpp"

namespace cuboid {
namespace {

using namespace std::chrono_literals;

constexpr auto sum = Reduction::Kind::sum;

// Every rank must refuse `call`, and be able to go on.
void require_refusal(const Communicator& c, const std::function<void()>& call,
                     std::initializer_list<std::string> parts) {
  require_error(call, ErrorCode::invalid_argument, parts);
  require_error(call, ErrorCode::invalid_argument, {fmt::format("rank {}", c.rank())});
  barrier(c);
}

TEST(Arguments, RootsOutsideTheGroup) {
  on_worlds([](Communicator& c) {
    std::vector<int> block(1);
    std::vector<int> all(static_cast<std::size_t>(c.size()));
    for (const int root : {-1, c.size(), 1 << 30}) {
      const std::string value = fmt::format("root {}", root);
      const std::string remedy = fmt::format("give 0 to {}", c.size() - 1);
      require_refusal(c, [&] { broadcast(c, block, root); }, {"broadcast", value, remedy});
      require_refusal(c, [&] { reduce(c, block, block, sum, root); }, {"reduce", value, remedy});
      require_refusal(c, [&] { gather(c, block, all, root); }, {"gather", value, remedy});
      require_refusal(c, [&] { scatter(c, all, block, root); }, {"scatter", value, remedy});
    }
  });
}

TEST(Arguments, BuffersThatOverlap) {
  on_worlds(
      [](Communicator& c) {
        const auto ranks = static_cast<std::size_t>(c.size());
        std::vector<int> memory(10 * ranks);
        const std::span<int> all(memory);
        const auto next = static_cast<std::size_t>((c.rank() + 1) % c.size());
        const auto overlap = {std::string("overlap")};
        require_refusal(
            c, [&] { allreduce(c, all.subspan(0, 4), all.subspan(2, 4), sum); }, overlap);
        require_refusal(
            c, [&] { allgather(c, all.subspan(10 * next, 10), all); }, overlap);  // another's place
        require_refusal(
            c, [&] { reduce_scatter(c, all, all.subspan(10 * next, 10), sum); }, overlap);
        require_refusal(
            c, [&] { alltoall(c, all, all); }, overlap);
        if (c.rank() == 0) {
          require_error([&] { reduce(c, all.subspan(0, 4), all.subspan(1, 4), sum, 0); },
                        ErrorCode::invalid_argument, overlap);
          require_error([&] { gather(c, all.subspan(10, 10), all, 0); },
                        ErrorCode::invalid_argument, overlap);
          require_error([&] { scatter(c, all, all.subspan(5, 10), 0); },
                        ErrorCode::invalid_argument, overlap);
        }
        barrier(c);
      },
      {2, 3, 8});
}

TEST(Arguments, CountsThatDoNotFit) {
  on_worlds([](Communicator& c) {
    const auto ranks = static_cast<std::size_t>(c.size());
    std::vector<int> four(4);
    std::vector<int> five(5);
    std::vector<int> all(4 * ranks + 1);
    require_refusal(c, [&] { allreduce(c, four, five, sum); }, {"5 elements", "4 are needed"});
    require_refusal(c, [&] { allgather(c, four, all); }, {"output", fmt::format("{}", 4 * ranks)});
    require_refusal(c, [&] { reduce_scatter(c, all, four, sum); },
                    {"input", fmt::format("{}", 4 * ranks)});
    std::vector<int> same(all.size());
    std::vector<int> others(all.size() + 1);
    require_refusal(c, [&] { alltoall(c, all, others); }, {"output"});
    if (c.size() > 1 && all.size() % ranks != 0)
      require_refusal(c, [&] { alltoall(c, all, same); }, {"input"});
  });
}

TEST(Arguments, BlocksThatLeaveTheBuffer) {
  on_worlds([](Communicator& c) {
    const auto ranks = static_cast<std::size_t>(c.size());
    const std::vector<std::size_t> counts(ranks, 4);
    std::vector<int> block(4);
    std::vector<int> short_by_one(4 * ranks - 1);
    require_refusal(c, [&] { allgatherv(c, block, short_by_one, counts); },
                    {fmt::format("the block of rank {}", c.size() - 1), "leaves the buffer"});
    std::vector<std::size_t> far(ranks, 0);
    far.front() = ~std::size_t{0};  // wraps round when added to a count
    require_refusal(c, [&] { allgatherv(c, block, short_by_one, counts, far); },
                    {"the block of rank 0", "leaves the buffer"});
    const std::vector<std::size_t> too_few(ranks - 1, 4);
    require_refusal(c, [&] { allgatherv(c, block, short_by_one, too_few); },
                    {fmt::format("{} counts", ranks - 1), "one per rank"});
  });
}

TEST(Arguments, TypesThatDiffer) {
  on_worlds([](Communicator& c) {
    std::vector<int> integers(4);
    std::vector<float> floats(4);
    require_refusal(c, [&] { allreduce(c, integers, floats, sum); }, {"int32", "float32"});
    integers.resize(static_cast<std::size_t>(c.size()));
    floats.resize(integers.size());
    require_refusal(c, [&] { alltoall(c, integers, floats); }, {"int32", "float32"});
  });
}

TEST(Arguments, ReductionsThatAreNotDefined) {
  on_worlds([](Communicator& c) {
    std::vector<std::complex<double>> numbers(4);
    std::vector<std::byte> bytes(4);
    require_refusal(c, [&] { allreduce(c, numbers, numbers, Reduction::Kind::maximum); },
                    {"maximum", "complex128", "Reduction::user"});
    require_refusal(c, [&] { reduce(c, bytes, bytes, sum, 0); }, {"sum", "byte"});
    std::vector<float> block(4);
    std::vector<float> all(4 * static_cast<std::size_t>(c.size()));
    require_refusal(c, [&] { reduce_scatter(c, all, block, Reduction::Kind::bitwise_or); },
                    {"bitwise or", "float32"});
  });
}

// What each rank of a world met; written by the ranks, read when all have ended.
class Outcomes {
 public:
  void note(int rank, const Error& error) {
    const std::lock_guard lock(mutex_);
    errors_.emplace_back(rank, error);
  }
  const std::vector<std::pair<int, Error>>& errors() const { return errors_; }

 private:
  std::mutex mutex_;
  std::vector<std::pair<int, Error>> errors_;
};

// Runs `body` on `ranks` ranks with a short deadline and notes what each of them throws.
std::vector<std::pair<int, Error>> errors_of(int ranks, std::chrono::duration<double> timeout,
                                             const std::function<void(Communicator&)>& body) {
  Outcomes outcomes;
  run_ranks(
      ranks,
      [&](Communicator& c) {
        try {
          body(c);
        } catch (const Error& error) {
          outcomes.note(c.rank(), error);
        }
      },
      with_timeout(timeout));
  return outcomes.errors();
}

TEST(Mismatch, IsFoundByWhoReceivesTheOtherLength) {
  for (const std::size_t wrong : {3, 5}) {
    const auto errors = errors_of(2, 5s, [&](Communicator& c) {
      std::vector<int> buffer(c.rank() == 0 ? 4 : wrong);
      broadcast(c, buffer, 0);
    });
    ASSERT_EQ(errors.size(), 1U);
    const auto& [rank, error] = errors.front();
    const std::string message = error.what();
    EXPECT_EQ(rank, 1);
    EXPECT_EQ(error.code(), ErrorCode::mismatch) << message;
    EXPECT_NE(message.find("broadcast"), std::string::npos) << message;
    EXPECT_NE(message.find("from rank 0"), std::string::npos) << message;
    EXPECT_NE(message.find("compare counts"), std::string::npos) << message;
  }
}

// Short messages and the words that offer long ones to ranks of the same node travel alike.
TEST(Mismatch, ALongMessageIsNotTakenForAShortOne) {
  for (const std::size_t expected : {1, 8, 40, 48, 56, 1000}) {
    const auto errors = errors_of(2, 1s, [&](Communicator& c) {
      std::vector<std::byte> buffer(c.rank() == 0 ? 16 << 10 : expected);
      c.rank() == 0 ? start_send(c, buffer, 1).wait() : start_receive(c, buffer, 0).wait();
    });
    const auto receivers = std::ranges::find(errors, 1, [](const auto& one) { return one.first; });
    ASSERT_NE(receivers, errors.end()) << expected << " bytes";
    EXPECT_EQ(receivers->second.code(), ErrorCode::mismatch) << receivers->second.what();
  }
}

TEST(Mismatch, EndsInAnErrorForEveryoneConcerned) {
  const auto start = std::chrono::steady_clock::now();
  for (const int ranks : {2, 3, 5}) {
    const auto errors = errors_of(ranks, 1s, [](Communicator& c) {
      std::vector<double> buffer(c.rank() == c.size() - 1 ? 1001 : 1000);
      allreduce(c, buffer, buffer, sum);
    });
    EXPECT_FALSE(errors.empty()) << ranks << " ranks";
    bool mismatch = false;
    for (const auto& [rank, error] : errors) mismatch |= error.code() == ErrorCode::mismatch;
    EXPECT_TRUE(mismatch) << ranks << " ranks";
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, 60s);
}

TEST(Failures, LetWhatEndsMeanwhileEnd) {
  const auto errors = errors_of(3, 5s, [](Communicator& c) {
    const Communicator pair = c.split(c.rank() == 2 ? 1 : 0, c.rank());
    if (c.rank() == 2) return;
    const int other = 1 - c.rank();
    std::vector<int> data(100, c.rank());
    std::vector<int> all(3);
    if (c.rank() == 1) {
      start_send(pair, data, other).wait();
    } else {
      std::this_thread::sleep_for(200ms);  // the message is there, and rank 2 is gone
      Request received = start_receive(pair, data, other);
      std::vector<int> output(3);
      require_error([&] { start_alltoall(c, all, output).wait(); }, ErrorCode::peer_failed, {});
      received.wait();
      require(data == std::vector<int>(100, 1), "the message is wrong");
    }
    for (int round = 0; round < 100; ++round)
      exchange(pair, std::span(data).first(1), other, std::span(all).first(1), other);
  });
  EXPECT_TRUE(errors.empty()) << errors.front().second.what();
}

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

TEST(Failures, OfAUsersReductionAreErrors) {
  const auto fails = [](const void*, const void*, void*, std::size_t) {
    throw std::runtime_error("division by zero");
  };
  for (const int ranks : {2, 3, 5}) {
    const auto errors = errors_of(ranks, 5s, [&](Communicator& c) {
      std::vector<double> data(1000), sums(1000);
      try {
        allreduce(c, data, sums, Reduction::user(fails, true));
      } catch (const Error& error) {
        c.abort(error.what());  // others may wait for what this rank was to send them
        throw;
      }
    });
    EXPECT_EQ(errors.size(), static_cast<std::size_t>(ranks));
    bool said = false;
    for (const auto& [rank, error] : errors) {
      const std::string message = error.what();
      if (error.code() == ErrorCode::peer_failed) continue;
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument) << message;
      said |= message.find("division by zero") != std::string::npos;
    }
    EXPECT_TRUE(said) << ranks << " ranks";
  }
  EXPECT_THROW(Reduction::user({}, true), Error);
}

TEST(Failure, OfOneMessageLeavesOtherCommunicatorsWell) {
  std::atomic<bool> given_up = false, seen = false;
  const auto wait_for = [](const std::atomic<bool>& what) {
    constexpr int patience = 2000;
    for (int pause = 0; !what && pause < patience; ++pause) std::this_thread::sleep_for(10ms);
  };
  const auto errors = errors_of(2, 1s, [&](Communicator& c) {
    const Communicator other = c.duplicate();
    std::vector<int> data(100000, c.rank());  // long enough to be read by the receiver
    if (c.rank() == 0) {
      require_error([&] { send(c, data, 1); }, ErrorCode::timeout, {});
      given_up = true;
      wait_for(seen);
    } else {
      wait_for(given_up);
      std::vector<int> late(data.size());
      require_error([&] { receive(c, late, 0); }, ErrorCode::peer_failed, {"withdrew"});
      seen = true;
    }
    std::vector<int> got(data.size());
    exchange(other, data, 1 - c.rank(), got, 1 - c.rank());
    require(got.back() == 1 - c.rank(), "got {}", got.back());
  });
  EXPECT_TRUE(errors.empty()) << errors.front().second.what();
}

TEST(Failures, OfARankThatDoesNotMeetTheOthersAreKnownToAnotherThatComesLate) {
  ThreadMeetingPoint meeting(3, 200ms);
  EXPECT_THROW(meeting.allgather(0, {}), Error);
  // With a third and without the first there would be all.
  const auto starts = std::chrono::steady_clock::now();
  std::atomic<int> told = 0;
  std::vector<std::jthread> threads;
  for (const int rank : {1, 2}) {
    threads.emplace_back([&, rank] {
      try {
        meeting.allgather(rank, {});
      } catch (const Error& error) {
        if (error.code() == ErrorCode::peer_failed &&
            std::string(error.what()).find("rank 0 gave up") != std::string::npos)
          ++told;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(told, 2);
  EXPECT_LT(std::chrono::steady_clock::now() - starts, 10s);
}

TEST(Failures, OfSettingsThatDifferAreErrorsOnAllRanks) {
  constexpr int ranks = 3;
  const auto meeting = std::make_shared<ThreadMeetingPoint>(ranks, 5s);
  std::atomic<int> refused = 0;
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      Environment environment = with_timeout(5s);
      if (rank == 1) environment.algorithm = "broadcast:binomial";
      try {
        const Communicator world(std::make_unique<ThreadBootstrap>(meeting, rank), environment);
      } catch (const Error& error) {
        const std::string message = error.what();
        if (error.code() == ErrorCode::mismatch && message.find("rank 1 has") != std::string::npos)
          ++refused;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(refused, ranks);
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

TEST(Failure, OfOneRankEndsAllOthersNamingIt) {
  for (const int ranks : {2, 3, 5, 8}) {
    for (const int culprit : {0, ranks - 1}) {
      Outcomes outcomes;
      try {
        run_ranks(
            ranks,
            [&](Communicator& c) {
              std::vector<double> data(1000);
              try {
                for (int round = 0;; ++round) {
                  if (c.rank() == culprit && round == 3)
                    throw Error(ErrorCode::io, "the disk is full");
                  allreduce(c, data, data, sum);
                }
              } catch (const Error& error) {
                if (c.rank() != culprit) outcomes.note(c.rank(), error);
                throw;
              }
            },
            with_timeout(20s));
        ADD_FAILURE() << "the error was swallowed";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::io) << error.what();
        EXPECT_STREQ(error.what(), "the disk is full");
      }
      EXPECT_EQ(outcomes.errors().size(), static_cast<std::size_t>(ranks) - 1);
      for (const auto& [rank, error] : outcomes.errors()) {
        const std::string message = error.what();
        EXPECT_EQ(error.code(), ErrorCode::peer_failed) << message;
        EXPECT_NE(message.find(fmt::format("rank {} on", culprit)), std::string::npos) << message;
        EXPECT_NE(message.find("the disk is full"), std::string::npos) << message;
      }
    }
  }
}

TEST(Failure, BeforeTheFirstMessage) {
  for (const int ranks : {2, 5}) {
    try {
      run_ranks(ranks, [](Communicator& c) {
        if (c.rank() == 1) throw Error(ErrorCode::parse, "bad input");
        std::vector<int> data(10);
        allreduce(c, data, data, sum);
      });
      ADD_FAILURE() << "the error was swallowed";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::parse) << error.what();
    }
  }
}

TEST(Failure, OfARankThatLeavesTooSoon) {
  const auto errors = errors_of(3, 5s, [](Communicator& c) {
    barrier(c);
    if (c.rank() != 2) barrier(c);
  });
  ASSERT_EQ(errors.size(), 2U);
  bool named = false;
  for (const auto& [rank, error] : errors) {
    EXPECT_TRUE(error.code() == ErrorCode::peer_failed || error.code() == ErrorCode::timeout)
        << error.what();
    named |= std::string(error.what()).find("rank 2 on") != std::string::npos;
  }
  EXPECT_TRUE(named);
}

TEST(Failure, LeavesTheCommunicatorUnusableAndTheOthersUsable) {
  run_ranks(
      2,
      [](Communicator& c) {
        const Communicator other = c.duplicate();
        std::vector<int> buffer(c.rank() == 0 ? 4 : 5);
        if (c.rank() == 1) {
          require_error([&] { broadcast(other, buffer, 0); }, ErrorCode::mismatch, {});
          for (int again = 0; again < 2; ++again) {
            require_error([&] { barrier(other); }, ErrorCode::peer_failed,
                          {"barrier", "cannot be used any more", "compare counts"});
          }
        } else {
          broadcast(other, buffer, 0);
        }
        check_allreduce<int>(c, 10, sum, InPlace::no, 1);
      },
      with_timeout(5s));
}

TEST(Failure, GivesTheBuffersBack) {
  // After the error nothing may write to the receive buffer: it is the caller's again, and goes.
  const auto errors = errors_of(2, 1s, [](Communicator& c) {
    std::vector<double> data(100000, 1.0);
    if (c.rank() == 0) {
      std::this_thread::sleep_for(2500ms);  // too late for rank 1
      broadcast(c, data, 0);
      return;
    }
    try {
      broadcast(c, data, 0);
    } catch (const Error&) {
      std::ranges::fill(data, 2.0);
      const auto until = std::chrono::steady_clock::now() + 3s;
      while (std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(10ms);
      }
      require(std::ranges::count(data, 2.0) == 100000, "written to after the error");
      throw;
    }
  });
  ASSERT_FALSE(errors.empty());
}

TEST(Failure, WhatASenderTookBackIsNotRead) {
  const auto errors = errors_of(2, 1s, [](Communicator& c) {
    std::vector<double> data(100000, c.rank() == 0 ? 1.0 : 0.0);
    if (c.rank() == 1) {
      std::this_thread::sleep_for(4s);  // too late for rank 0
      broadcast(c, data, 0);            // throws
      require(false, "got what its sender no longer offered");
    }
    try {
      broadcast(c, data, 0);
    } catch (const Error&) {
      std::ranges::fill(data, 2.0);
      std::this_thread::sleep_for(3s);
      throw;
    }
  });
  EXPECT_EQ(errors.size(), 2U);
}

}  // namespace
}  // namespace cuboid
