// What goes wrong must be said: by whom, to whom, what to do.

#include <cuboid/point_to_point.hpp>
#include <cuboid/window.hpp>

#include "collectives/bootstrap/thread_bootstrap.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "tests/collectives/communicator/errors_of.hpp"
#include "tests/collectives/communicator/unwinding.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace cuboid::detail {
namespace failures_test {

using namespace std::chrono_literals;

constexpr auto sum = Reduction::Kind::sum;

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

// Numbered the other way round, so that no rank of the pair has the number it has among all.
TEST(Mismatch, NamesTheRanksOfItsCommunicator) {
  const auto errors = errors_of(3, 5s, [](Communicator& c) {
    const Communicator pair = c.split(c.rank() == 0 ? 1 : 0, -c.rank());
    if (c.rank() == 0) return;
    std::vector<int> buffer(c.rank() == 2 ? 4 : 3);
    broadcast(pair, buffer, 0);
  });
  ASSERT_EQ(errors.size(), 1U);
  const auto& [rank, error] = errors.front();
  EXPECT_EQ(rank, 1);
  EXPECT_EQ(error.code(), ErrorCode::mismatch) << error.what();
  EXPECT_NE(std::string(error.what()).find("from rank 2 (rank 0 of this communicator)"),
            std::string::npos)
      << error.what();
}

TEST(Failures, NameTheRanksOfTheWorldAndOfTheirCommunicator) {
  const auto errors = errors_of(3, 5s, [](Communicator& c) {
    const Communicator pair = c.split(c.rank() == 0 ? 1 : 0, -c.rank());
    if (c.rank() == 1) {
      std::vector<int> buffer(4);
      broadcast(pair, buffer, 0);
    }
  });
  ASSERT_EQ(errors.size(), 1U);
  const std::string message = errors.front().second.what();
  EXPECT_EQ(errors.front().second.code(), ErrorCode::peer_failed) << message;
  EXPECT_NE(message.find("rank 2 (rank 0 of this communicator) on "), std::string::npos) << message;
  EXPECT_NE(message.find("has left"), std::string::npos) << message;
}

TEST(Failures, OfOneCommunicatorLeaveTheOthersAsTheyAre) {
  const auto errors = errors_of(3, 5s, [](Communicator& c) {
    const Communicator other = c.duplicate();
    std::vector<int> buffer(4);
    try {
      if (c.rank() == 0) c.give_up("no more rows");
      allreduce(c, buffer, buffer, sum);
    } catch (const Error&) {
      allreduce(other, buffer, buffer, sum);
      throw;
    }
  });
  ASSERT_EQ(errors.size(), 3U);
  for (const auto& [rank, error] : errors) {
    const std::string message = error.what();
    EXPECT_EQ(error.code(), ErrorCode::peer_failed) << message;
    EXPECT_NE(message.find("no more rows"), std::string::npos) << message;
  }
}

// Rank 0 gives up, rank 1 because of it, and rank 2 hears of rank 1 only.
TEST(Failures, AreReportedWithTheirFirstCause) {
  const auto errors = errors_of(3, 5s, [](Communicator& c) {
    const Communicator first = c.split(c.rank() == 2 ? -1 : 0, c.rank());
    const Communicator second = c.split(c.rank() == 0 ? -1 : 0, c.rank());
    std::vector<int> buffer(4);
    if (c.rank() == 0) {
      c.revoke("the disk is full");
      return;
    }
    try {
      broadcast(c.rank() == 1 ? first : second, buffer, 0);
    } catch (const Error& error) {
      c.revoke(error.what());
      throw;
    }
  });
  ASSERT_EQ(errors.size(), 2U);
  for (const auto& [rank, error] : errors) {
    const std::string message = error.what();
    EXPECT_EQ(error.code(), ErrorCode::peer_failed) << message;
    EXPECT_NE(message.find("rank 0 on "), std::string::npos) << message;
    const auto cause = message.find("gave up: the disk is full");
    EXPECT_NE(cause, std::string::npos) << message;
    EXPECT_EQ(message.find("gave up"), cause) << message;
  }
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

struct DivisionByZero : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void count_elements(const void*, const void*, void*, std::size_t) {}

/// Combines without an end, until the operation throws on the rank that is the first to have called
/// it so often.
void reduce_until_it_throws(const Communicator& c, const Communicator& bystanders,
                            std::atomic<int>& culprit) {
  const auto operation = [&, calls = 0](const void*, const void*, void*, std::size_t) mutable {
    int nobody = -1;
    if (++calls == 20 && culprit.compare_exchange_strong(nobody, c.rank()))
      throw DivisionByZero("3 / 0");
  };
  const auto combine = Reduction::user(operation, Commutative::yes);
  std::vector<double> data(1000), sums(1000);
  const auto work = [&] {
    for (int round = 0;; ++round)
      round % 2 == 0 ? start_allreduce(c, data, sums, combine).wait()
                     : allreduce(c, data, sums, combine);
  };
  try {
    work();
  } catch (const DivisionByZero&) {
    require(culprit == c.rank(), "another rank's exception");
  } catch (const Error& error) {
    const std::string message = error.what();
    const std::string who = fmt::format("rank {} on ", culprit.load());
    require(error.code() == ErrorCode::peer_failed && message.find(who) != std::string::npos &&
                message.find("the reduction threw an exception: 3 / 0") != std::string::npos,
            "{}", message);
  }
  require_error([&] { barrier(c); }, ErrorCode::peer_failed, {"no longer usable", "3 / 0"});
  // All ranks are well, and so are their other communicators.
  allreduce(bystanders, data, sums, sum);
  const Communicator again = c.shrink();
  require(again.size() == c.size(), "{} ranks are left", again.size());
  allreduce(again, data, sums, Reduction::user(count_elements, Commutative::yes));
}

TEST(Failures, OfAUsersReductionEndTheCallOnAllRanks) {
  for (const int ranks : {2, 3, 5, 8}) {
    std::atomic<int> culprit = -1;
    run_ranks(
        ranks, [&](Communicator& c) { reduce_until_it_throws(c, c.duplicate(), culprit); },
        with_timeout(30s));
    EXPECT_NE(culprit, -1);
  }
  EXPECT_THROW(Reduction::user({}, Commutative::yes), Error);
}

// Whoever has heard of it leaves at once: its goodbye may be read before word of the exception.
TEST(Failures, OfAUsersReductionAreToldThoughTheOthersLeave) {
  for (int round = 0; round < 8; ++round) {
    Outcomes outcomes;
    const auto body = [&](Communicator& c) {
      const auto combine = Reduction::user(
          [&](const void*, const void*, void*, std::size_t) {
            if (c.rank() == 1) throw DivisionByZero("3 / 0");
          },
          Commutative::yes);
      const std::vector<double> data(40'000);
      std::vector<double> sums(data.size());
      try {
        allreduce(c, data, sums, combine);
      } catch (const Error& error) {
        outcomes.note(c.rank(), error);
      } catch (const DivisionByZero&) {
      }
    };
    run_ranks(4, body, with_timeout(30s));
    ASSERT_EQ(outcomes.errors().size(), 3U);
    for (const auto& [rank, error] : outcomes.errors()) {
      const std::string message = error.what();
      EXPECT_NE(message.find("rank 1 on "), std::string::npos) << message;
      EXPECT_NE(message.find("threw an exception: 3 / 0"), std::string::npos) << message;
    }
  }
}

// Rank 2 finds the mismatch; rank 0, which waits for it, learns of it at once.
TEST(Failures, OfOneOperationAreToldToAllRanksOfTheCommunicator) {
  run_ranks(
      3,
      [](Communicator& c) {
        const std::vector<int> two(2);
        std::vector<int> three(3);
        if (c.rank() == 1) send(c, two, 2);
        if (c.rank() == 2)
          require_error([&] { receive(c, three, 1); }, ErrorCode::mismatch, {"from rank 1"});
        if (c.rank() != 0) return;
        require_error([&] { receive(c, three, 2); }, ErrorCode::mismatch,
                      {"rank 2 on ", "expected 12 bytes from rank 1"});
      },
      with_timeout(30s));
}

TEST(Failures, OfABodyAreToldBeforeItsWindowsEnd) {
  for (const int ranks : {2, 5}) {
    Outcomes outcomes;
    const auto body = [&](Communicator& c) {
      std::optional<Window> window;
      try {
        window.emplace(c, 8);  // a rank may still be making it when rank 1 throws
        if (c.rank() == 1) throw DivisionByZero("4 / 0");
        window->fence();
      } catch (const Error& error) {
        outcomes.note(c.rank(), error);
        throw;
      }
    };
    EXPECT_THROW(run_ranks(ranks, body, with_timeout(30s)), DivisionByZero);
    ASSERT_EQ(outcomes.errors().size(), static_cast<std::size_t>(ranks - 1));
    for (const auto& [rank, error] : outcomes.errors()) {
      const std::string message = error.what();
      EXPECT_EQ(error.code(), ErrorCode::peer_failed) << message;
      EXPECT_NE(message.find("rank 1 on "), std::string::npos) << message;
      EXPECT_NE(message.find("gave up: 4 / 0"), std::string::npos) << message;
    }
  }
}

class Unwinding : public testing::TestWithParam<InScope> {};

// Without run_ranks(), which revokes.
TEST_P(Unwinding, ThroughTheLastCommunicatorIsToldToAll) {
  constexpr int ranks = 3;
  const auto meeting = std::make_shared<ThreadMeetingPoint>(ranks, 30s);
  std::atomic<int> threw = 0, others = 0;
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        const Communicator world(std::make_unique<ThreadBootstrap>(meeting, rank),
                                 with_timeout(long_deadline));
        work_until_rank_1_throws(world, GetParam());
        ++others;
      } catch (const OutOfInk&) {
        ++threw;
      } catch (const std::exception& error) {
        ADD_FAILURE() << "rank " << rank << ": " << error.what();
      }
    });
  }
  threads.clear();
  EXPECT_EQ(threw, 1);
  EXPECT_EQ(others, ranks - 1);
}
INSTANTIATE_TEST_SUITE_P(Scopes, Unwinding,
                         testing::Values(InScope::nothing, InScope::request, InScope::window));

// A rank that has given up has nobody to wait for: its own collectives end at once.
TEST(Failures, OfARankThatHasGivenUpAreItsOwnToo) {
  std::atomic<int> ready = 0;
  run_ranks(
      2,
      [&](Communicator& c) {
        std::vector<int> word(1);
        Request received = start_receive(c, word, 1 - c.rank());
        std::optional<Window> window(std::in_place, c, 8);
        for (++ready; ready < 2;) std::this_thread::sleep_for(1ms);
        c.revoke("no more ink");
        require_error([&] { received.wait(); }, ErrorCode::peer_failed, {"no more ink"});
        require_error([&] { barrier(c); }, ErrorCode::peer_failed, {});
        window.reset();
      },
      with_timeout(30s));
}

TEST(Failures, OfWhatInterruptsAWaitEndItAndAreTold) {
  run_ranks(
      3,
      [](Communicator& c) {
        if (c.rank() == 1) {
          c.state().engine->interrupt_by([] { throw DivisionByZero("interrupted"); });
          EXPECT_THROW(barrier(c), DivisionByZero);
        } else {
          std::vector<int> word(1);
          require_error([&] { receive(c, word, 1); }, ErrorCode::peer_failed,
                        {"rank 1 on ", "the wait was interrupted: interrupted"});
        }
      },
      with_timeout(30s));
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
                          {"barrier", "no longer usable", "compare counts"});
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

}  // namespace failures_test
}  // namespace cuboid::detail
