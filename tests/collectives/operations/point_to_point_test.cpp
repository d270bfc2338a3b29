// Messages between two ranks: which receive takes which, beside collectives and on other
// communicators.

#include <cuboid/point_to_point.hpp>

#include "tests/collectives/operations/calls.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace cuboid::detail {
namespace point_to_point_test {

using namespace std::chrono_literals;

int next(const Communicator& c) {
  return (c.rank() + 1) % c.size();
}
int previous(const Communicator& c) {
  return (c.rank() + c.size() - 1) % c.size();
}

TEST(PointToPoint, ShiftsAroundARing) {
  on_worlds([](Communicator& c) {
    for (const std::size_t count : {0, 1, 1000, 100003}) {
      std::vector<double> arrived(count);
      exchange(c, pattern<double>(c.rank(), count, 1), next(c), arrived, previous(c));
      require(arrived == pattern<double>(previous(c), count, 1), "{} doubles are wrong", count);
    }
  });
}

TEST(PointToPoint, APlanRunsAgainAndAgain) {
  on_worlds([](Communicator& c) {
    std::vector<int> outgoing(1000), incoming(1000);
    CollectivePlan plan = plan_exchange(c, outgoing, previous(c), incoming, next(c), 7);
    for (unsigned run = 0; run < 20; ++run) {
      std::ranges::copy(pattern<int>(c.rank(), 1000, run), outgoing.begin());
      plan.run();
      require(incoming == pattern<int>(next(c), 1000, run), "wrong in run {}", run);
    }
  });
}

TEST(PointToPoint, EveryRankToEveryOther) {
  on_worlds([](Communicator& c) {
    const auto between = [&](int from, int to) {
      return pattern<int>(from * c.size() + to, static_cast<std::size_t>(100 * from + to), 3);
    };
    std::vector<std::vector<int>> outgoing, incoming;
    for (int peer = 0; peer < c.size(); ++peer) {
      outgoing.push_back(between(c.rank(), peer));
      incoming.emplace_back(between(peer, c.rank()).size());
    }
    std::vector<Request> requests;
    for (int peer = 0; peer < c.size(); ++peer) {
      if (peer == c.rank()) continue;
      const auto at = static_cast<std::size_t>(peer);
      requests.push_back(start_send(c, outgoing[at], peer));
      requests.push_back(start_receive(c, incoming[at], peer));
    }
    for (Request& request : requests) request.wait();
    for (int peer = 0; peer < c.size(); ++peer) {
      if (peer == c.rank()) continue;
      require(incoming[static_cast<std::size_t>(peer)] == between(peer, c.rank()),
              "rank {}'s message is wrong", peer);
    }
  });
}

TEST(PointToPoint, OfEqualNumberInTheOrderSentElseInAny) {
  on_worlds(
      [](Communicator& c) {
        constexpr int messages = 300;  // more than a tag's sequence or segment could number
        constexpr int numbers[] = {max_tag, 5, 0};
        const auto value = [](int number, int turn) { return std::vector<int>{number, turn}; };
        if (c.rank() == 1) {
          for (int turn = 0; turn < messages; ++turn) {
            for (const int number : numbers) send(c, value(number, turn), 0, number);
          }
        } else if (c.rank() == 0) {
          for (const int number : {0, 5, max_tag}) {
            for (int turn = 0; turn < messages; ++turn) {
              std::vector<int> arrived(2);
              receive(c, arrived, 1, number);
              require(arrived == value(number, turn), "{} of number {} instead of {} of {}",
                      arrived[1], arrived[0], turn, number);
            }
          }
        }
      },
      {2, 3});
}

TEST(PointToPoint, LeavesCollectivesInFlightAlone) {
  on_worlds([](Communicator& c) {
    const Communicator other = c.duplicate();
    for (unsigned round = 0; round < 10; ++round) {
      auto data = c.rank() == 0 ? pattern<int>(0, 30000, round) : std::vector<int>(30000);
      std::vector<int> here(500), there(500);
      // Only some of the ranks exchange before the collectives, and some after.
      const bool early = c.rank() % 2 == 0;
      const auto mine = pattern<int>(c.rank(), 500, round);
      const auto others = pattern<int>(c.rank(), 500, round + 100);
      std::vector<Request> requests;
      const auto messages = [&] {
        requests.push_back(start_exchange(other, others, next(c), there, previous(c)));
        requests.push_back(start_exchange(c, mine, next(c), here, previous(c)));
      };
      if (early) messages();
      Request request = start_broadcast(c, data, 0);
      if (!early) messages();
      request.wait();
      for (Request& one : requests) one.wait();
      require(data == pattern<int>(0, 30000, round), "the broadcast is wrong");
      require(here == pattern<int>(previous(c), 500, round), "the message is wrong");
      require(there == pattern<int>(previous(c), 500, round + 100), "the other message is wrong");
    }
  });
}

TEST(PointToPoint, CountsWhatWasSent) {
  on_worlds(
      [](Communicator& c) {
        std::vector<double> incoming(1000);
        const Traffic before = c.traffic(previous(c));
        exchange(c, pattern<double>(c.rank(), 1000, 1), next(c), incoming, previous(c));
        const Traffic traffic = c.traffic(previous(c)) - before;
        require(traffic.bytes_received == 8000, "{} bytes received", traffic.bytes_received);
        require(traffic.messages_received == 1, "{} messages", traffic.messages_received);
      },
      {3, 5});
}

TEST(PointToPoint, RefusesWhatMakesNoSense) {
  on_worlds([](Communicator& c) {
    std::vector<int> one(1), other(1);
    const auto refused = [&](const std::function<void()>& call,
                             std::initializer_list<std::string> parts) {
      require_error(call, ErrorCode::invalid_argument, parts);
    };
    const std::string remedy = fmt::format("give 0 to {}", c.size() - 1);
    for (const int peer : {-1, c.size()}) {
      refused([&] { send(c, one, peer); }, {"send", remedy});
      refused([&] { receive(c, one, peer); }, {"receive", remedy});
      refused([&] { exchange(c, one, peer, other, 0); }, {"exchange", remedy});
    }
    refused([&] { send(c, one, c.rank()); }, {"exchange()"});
    refused([&] { receive(c, one, c.rank()); }, {"exchange()"});
    refused([&] { exchange(c, one, next(c), one, previous(c)); }, {"overlap"});
    if (c.size() > 1) {
      refused([&] { send(c, one, next(c), -1); }, {"tag -1", "give 0 to 32767"});
      refused([&] { receive(c, one, next(c), 32768); }, {"tag 32768"});
      refused([&] { exchange(c, one, c.rank(), other, next(c)); }, {"itself"});
    }
  });
}

TEST(PointToPoint, SizesThatDifferAreAnError) {
  on_worlds(
      [](Communicator& c) {
        std::vector<int> two(2);
        if (c.rank() == 1) send(c, two, 0);
        if (c.rank() == 0) {
          std::vector<int> three(3);
          require_error([&] { receive(c, three, 1); }, ErrorCode::mismatch,
                        {"rank 0", "expected 12 bytes from rank 1"});
        }
      },
      {2});
}

TEST(PointToPoint, WhatNobodySendsEndsWithTheDeadline) {
  run_ranks(
      3,
      [](Communicator& c) {
        std::vector<int> one(1);
        if (c.rank() == 0) {
          require_error([&] { receive(c, one, 2, 9); }, ErrorCode::timeout,
                        {"rank 0", "receive of 4 bytes from rank 2", "CUBOID_TIMEOUT"});
        } else {
          std::this_thread::sleep_for(1s);
        }
      },
      with_timeout(200ms));
}

}  // namespace point_to_point_test
}  // namespace cuboid::detail
