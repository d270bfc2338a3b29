// Scans: the rounds proven, and on the real engine.

#include "collectives/rounds/prefix.hpp"
#include "collectives/schedules/checker.hpp"
#include "tests/collectives/operations/calls.hpp"

namespace cuboid::detail {
namespace scan_test {

TEST(Scan, RoundsAreProvenForEveryNumberOfRanks) {
  for (int ranks = 1; ranks <= 40; ++ranks) {
    for (const Prefix prefix : {Prefix::inclusive, Prefix::exclusive}) {
      const Conditions whole = Conditions::allreduce(ranks, 8);
      EXPECT_NO_THROW(check_prefix(doubling_scan(ranks, prefix), whole, prefix)) << ranks;
      Conditions pieces{ranks, {}};
      for (std::size_t piece = 0; piece < 3; ++piece)
        pieces.blocks.push_back({{8 * piece, 8}, std::nullopt, std::nullopt});
      EXPECT_NO_THROW(check_prefix(chain_scan(ranks, 3, prefix), pieces, prefix)) << ranks;
    }
  }
}

TEST(Scan, TheCheckerRefusesWhatIsNone) {
  const Conditions conditions = Conditions::allreduce(4, 8);
  Rounds rounds = doubling_scan(4, Prefix::inclusive);
  EXPECT_THROW(check_prefix(rounds, conditions, Prefix::exclusive), Error);
  rounds.rounds.back().pop_back();
  EXPECT_THROW(check_prefix(rounds, conditions, Prefix::inclusive), Error);
  Rounds twice = doubling_scan(4, Prefix::inclusive);
  twice.rounds.push_back(twice.rounds.front());
  EXPECT_THROW(check_prefix(twice, conditions, Prefix::inclusive), Error);
}

TEST(Scan, CombinesInTheOrderOfTheRanks) {
  const Reduction in_order = Reduction::user(&combine_all<RankRange>, Commutative::no);
  on_worlds([&](Communicator& world) {
    unsigned salt = 0;
    for (const char* rule :
         {"", "scan:doubling_scan,exscan:doubling_scan", "scan:chain_scan,exscan:chain_scan"}) {
      const Communicator c = world.with_algorithms(rule);
      for (const std::size_t count : {0, 1, 3, 1000, 40000}) {
        for (const InPlace in_place : {InPlace::no, InPlace::yes}) {
          check_scan<RankRange>(c, count, in_order, in_place, ++salt);
          check_exscan<RankRange>(c, count, in_order, in_place, ++salt);
        }
      }
    }
  });
}

TEST(Scan, StartedAndPlanned) {
  on_worlds([](Communicator& c) {
    const std::vector<int> mine(5, c.rank() + 1);
    std::vector<int> up_to(5);
    std::vector<int> below(5);
    Request first = start_scan(c, mine, up_to, Reduction::Kind::sum);
    Request second = start_exscan(c, mine, below, Reduction::Kind::sum);
    second.wait();
    first.wait();
    const int sum = (c.rank() + 1) * (c.rank() + 2) / 2;
    require(up_to[4] == sum && below[4] == sum - (c.rank() + 1), "{} and {}", up_to[4], below[4]);
    CollectivePlan plan = plan_scan(c, mine, up_to, Reduction::Kind::maximum);
    CollectivePlan other = plan_exscan(c, mine, below, Reduction::Kind::maximum);
    for (int run = 0; run < 3; ++run) {
      plan.run();
      other.run();
      require(up_to[0] == c.rank() + 1 && below[0] == c.rank(), "planned");
    }
    require_error([&] { scan(c, mine, up_to, Reduction::Kind::average); },
                  ErrorCode::invalid_argument, {"average"});
  });
}

}  // namespace scan_test
}  // namespace cuboid::detail
