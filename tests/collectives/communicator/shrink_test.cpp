// Going on without the ranks that are gone.

#include <cuboid/collectives.hpp>

#include "collectives/communicator/communicator_state.hpp"
#include "collectives/transport/transport.hpp"
#include "tests/collectives/operations/calls.hpp"

#include <chrono>
#include <thread>
#include <vector>

namespace cuboid::detail {
namespace shrink_test {

using namespace std::chrono_literals;

constexpr auto sum = Reduction::Kind::sum;

void check_some_collectives(const Communicator& c) {
  check_allreduce<double>(c, 1000, sum, InPlace::no, 1);
  check_broadcast<int>(c, 70000, c.size() - 1, 2);
  check_alltoall<float>(c, 300, 3);
  barrier(c);
}

// Collectives until one fails, as those of the others do.
void work_until_failure(const Communicator& c) {
  std::vector<double> data(3000);
  require_error(
      [&] {
        for (;;) allreduce(c, data, data, sum);
      },
      ErrorCode::peer_failed, {"allreduce"});
}

// Gives up once all others are at work, or one that was has given up.
void give_up_at_work(const Communicator& c) {
  std::vector<double> data(3000);
  try {
    allreduce(c, data, data, sum);
  } catch (const Error& error) {
    require(error.code() == ErrorCode::peer_failed, "{}", error.what());
  }
  c.revoke("a test of what the others do then");
}

bool is_lost(int rank, const std::vector<int>& lost) {
  return std::ranges::find(lost, rank) != lost.end();
}

void lose_ranks(int ranks, const std::vector<int>& lost) {
  run_ranks(
      ranks,
      [&](Communicator& c) {
        check_some_collectives(c);
        if (is_lost(c.rank(), lost)) {
          give_up_at_work(c);
          return;
        }
        work_until_failure(c);
        const Communicator left = c.shrink();
        require(left.size() == ranks - static_cast<int>(lost.size()), "{} are left", left.size());
        int before_us = 0;
        for (int rank = 0; rank < c.rank(); ++rank) before_us += is_lost(rank, lost) ? 0 : 1;
        require(left.rank() == before_us, "rank {} of old is now {}", c.rank(), left.rank());
        check_some_collectives(left);
        require_error([&] { barrier(c); }, ErrorCode::peer_failed, {"no longer usable"});
        const Communicator half = left.split(left.rank() % 2, left.rank());
        check_some_collectives(half);
      },
      with_timeout(20s));
}

TEST(Shrink, LeavesTheSurvivorsInTheirOrder) {
  for (const int ranks : {2, 3, 5, 8, 12}) {
    lose_ranks(ranks, {0});
    lose_ranks(ranks, {ranks - 1});
  }
  lose_ranks(16, {7});
}

TEST(Shrink, WithoutSeveral) {
  lose_ranks(3, {0, 2});
  lose_ranks(5, {0, 1, 2});
  lose_ranks(8, {1, 3, 5, 7});
}

TEST(Shrink, WithoutAnyFailureIsTheSameGroupAnew) {
  on_worlds([](Communicator& c) {
    const Communicator again = c.shrink();
    require(again.size() == c.size() && again.rank() == c.rank(), "not the same group");
    check_some_collectives(again);
  });
}

TEST(Shrink, TwiceAndOfWhatWasShrunk) {
  run_ranks(
      6,
      [](Communicator& c) {
        Communicator now = c;
        for (int victim = 5; victim >= 2; --victim) {
          check_some_collectives(now);
          if (c.rank() == victim) {
            give_up_at_work(now);
            return;
          }
          work_until_failure(now);
          now = now.shrink();
          require(now.size() == victim, "{} are left", now.size());
        }
        check_some_collectives(now);
      },
      with_timeout(20s));
}

TEST(Shrink, OfAGroupThatDidNotLoseAnybodyItself) {
  run_ranks(
      6,
      [](Communicator& c) {
        const Communicator half = c.split(c.rank() % 2, c.rank());
        if (c.rank() == 4) {
          give_up_at_work(c);
          return;
        }
        work_until_failure(c);
        const Communicator left = half.shrink();
        require(left.size() == (c.rank() % 2 == 0 ? 2 : 3), "{} are left", left.size());
        check_some_collectives(left);
      },
      with_timeout(20s));
}

TEST(Shrink, NamesARankThatIsThereAndDoesNotCome) {
  run_ranks(
      3,
      [](Communicator& c) {
        barrier(c);
        if (c.rank() == 1) {
          std::this_thread::sleep_for(2500ms);
          return;
        }
        require_error([&] { static_cast<void>(c.shrink()); }, ErrorCode::timeout,
                      {"shrink", "rank 1 on", "CUBOID_TIMEOUT"});
      },
      with_timeout(1s));
}

// Rank 0 has lost rank 1 already and waits for rank 2 alone, which waits for rank 1.
TEST(Shrink, NamesTheRankThatTheOthersWaitFor) {
  run_ranks(
      3,
      [](Communicator& c) {
        barrier(c);
        if (c.rank() == 1) {
          std::this_thread::sleep_for(5s);
          return;
        }
        if (c.rank() == 0) {
          Peers& peers = c.state().transport().peers();
          peers.connect(1);
          peers.disconnect(1);
        }
        require_error([&] { static_cast<void>(c.shrink()); }, ErrorCode::timeout,
                      {"shrink", "rank 1 on", "does not answer"});
      },
      with_timeout(1s));
}

}  // namespace shrink_test
}  // namespace cuboid::detail
