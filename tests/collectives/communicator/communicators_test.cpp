// Groups of ranks and what they agree on.

#include "collectives/types/tag.hpp"
#include "tests/collectives/operations/calls.hpp"

#include <array>
#include <optional>
#include <vector>

namespace cuboid::detail {
namespace communicators_test {

int sum_of_ranks(const Communicator& c, int value) {
  std::array<int, 1> sum = {value};
  allreduce(c, sum, sum, Reduction::Kind::sum);
  return sum[0];
}

TEST(Communicators, KnowTheirRanks) {
  on_worlds([](Communicator& c) {
    std::vector<int> seen(static_cast<std::size_t>(c.size()));
    allgather(c, std::array<int, 1>{c.rank()}, seen);
    for (int rank = 0; rank < c.size(); ++rank) {
      require(seen[static_cast<std::size_t>(rank)] == rank, "ranks are not numbered in order");
      require(c.same_node(rank), "threads of one process share their node");
      require(!c.host(rank).empty() && c.host(rank) == c.host(c.rank()), "host {}", c.host(rank));
    }
    require(c.valid(), "a world is valid");
  });
}

TEST(Communicators, SplitGroupsByColourAndOrdersByKey) {
  on_worlds([](Communicator& c) {
    // Backwards, and with keys that are not unique: ties go by rank.
    for (const int groups : {1, 2, 3, 7}) {
      const int colour = c.rank() % groups;
      const Communicator part = c.split(colour, -(c.rank() / groups / 2));
      std::vector<std::pair<int, int>> expected;  // (key, rank), the order of the new ranks
      for (int rank = colour; rank < c.size(); rank += groups)
        expected.emplace_back(-(rank / groups / 2), rank);
      std::sort(expected.begin(), expected.end());
      require(part.size() == static_cast<int>(expected.size()), "{} ranks", part.size());
      std::vector<int> old_ranks(expected.size());
      allgather(part, std::array<int, 1>{c.rank()}, old_ranks);
      for (std::size_t rank = 0; rank < expected.size(); ++rank) {
        require(old_ranks[rank] == expected[rank].second, "new rank {} is old rank {}", rank,
                old_ranks[rank]);
      }
    }
  });
}

TEST(Communicators, NegativeColoursTakeNoPart) {
  on_worlds([](Communicator& c) {
    const bool takes_part = c.rank() % 2 == 0;
    Communicator part = c.split(takes_part ? 0 : -1, c.rank());
    require(part.valid() == takes_part, "rank {} is {}", c.rank(), part.valid());
    if (takes_part) require(sum_of_ranks(part, 1) == (c.size() + 1) / 2, "wrong size");
    // The next one must fit in with those who took no part.
    part = c.duplicate();
    require(sum_of_ranks(part, 1) == c.size(), "wrong size");
  });
}

TEST(Communicators, SplitsOfSplits) {
  on_worlds([](Communicator& c) {
    Communicator part = c;
    int expected = c.size();
    while (part.size() > 1) {
      const int lower = part.size() / 2;
      const bool low = part.rank() < lower;
      expected = low ? lower : part.size() - lower;
      part = part.split(low ? 0 : 1, part.rank());
      require(part.size() == expected && sum_of_ranks(part, 1) == expected, "{} ranks",
              part.size());
      check_allreduce<double>(part, 100, Reduction::Kind::sum, InPlace::no, 5);
      check_broadcast<float>(part, 1000, part.size() - 1, 6);
    }
  });
}

TEST(Communicators, MessagesOfDuplicatesDoNotMix) {
  on_worlds([](Communicator& c) {
    const Communicator twin = c.duplicate();
    require(twin.rank() == c.rank() && twin.size() == c.size(), "not the same group");
    std::array<int, 1> here = {c.rank() == 0 ? 1 : 0};
    std::array<int, 1> there = {c.rank() == 0 ? 2 : 0};
    // Half of the ranks start them the other way round.
    const bool here_first = c.rank() % 2 == 0;
    Request first = here_first ? start_broadcast(c, here, 0) : start_broadcast(twin, there, 0);
    Request second = here_first ? start_broadcast(twin, there, 0) : start_broadcast(c, here, 0);
    first.wait();
    second.wait();
    require(here[0] == 1 && there[0] == 2, "{} and {}", here[0], there[0]);
  });
}

TEST(Communicators, NumbersAreRecycled) {
  const auto make = [](Communicator& c, std::size_t how_many) {
    std::vector<Communicator> alive(5, c);
    for (std::size_t i = 0; i < how_many; ++i) alive[i % alive.size()] = c.duplicate();
    for (const Communicator& one : alive) require(sum_of_ranks(one, 1) == c.size(), "wrong");
  };
  // More than there are numbers, were they used only once; a few alive at any time.
  run_ranks(1, [&](Communicator& c) { make(c, Tag::max_contexts + 100); });
  run_ranks(3, [&](Communicator& c) { make(c, 300); });
}

TEST(Communicators, RanksMayDestroyTheirsAtDifferentTimes) {
  on_worlds([](Communicator& c) {
    std::vector<std::optional<Communicator>> kept;
    for (int round = 0; round < 30; ++round) {
      kept.emplace_back(c.duplicate());
      // Every rank lets others go.
      for (std::size_t i = static_cast<std::size_t>(c.rank()); i < kept.size(); i += 3)
        kept[i].reset();
      const Communicator fresh = c.split(round % 2, c.rank());
      require(sum_of_ranks(fresh, 1) == c.size(), "messages of communicators mix");
    }
  });
}

TEST(Communicators, AgreeThatAllIsWell) {
  on_worlds([](Communicator& c) {
    for (int round = 0; round < 10; ++round) c.throw_if_any_failed(nullptr);
  });
}

TEST(Communicators, AgreeOnTheErrorOfTheLowestRank) {
  on_worlds([](Communicator& c) {
    for (int first = 0; first < c.size(); ++first) {
      const std::string message = fmt::format(
          "rank {}: {}", c.rank(), std::string(static_cast<std::size_t>(first) * 500, '.'));
      const Error mine(c.rank() == first ? ErrorCode::io : ErrorCode::parse, message);
      const Error common =
          error_of([&] { c.throw_if_any_failed(c.rank() >= first ? &mine : nullptr); });
      require(common.code() == ErrorCode::io, "code {}", to_string(common.code()));
      require(std::string(common.what()).starts_with(fmt::format("rank {}: ", first)), "message {}",
              common.what());
      require(std::string(common.what()).size() > static_cast<std::size_t>(first) * 500,
              "cut short");
    }
    // Nothing is broken by it.
    require(sum_of_ranks(c, 1) == c.size(), "wrong");
  });
}

TEST(Communicators, AgreeOnAnEmptyMessage) {
  on_worlds([](Communicator& c) {
    const Error nothing(ErrorCode::unsupported, "");
    require_error([&] { c.throw_if_any_failed(&nothing); }, ErrorCode::unsupported, {});
  });
}

TEST(Communicators, CountTheirTraffic) {
  on_worlds(
      [](Communicator& c) {
        const Traffic before = c.traffic();
        std::vector<std::byte> buffer(1000);
        broadcast(c, buffer, 0);
        const Traffic moved = c.traffic() - before;
        require(moved.bytes_received == (c.rank() == 0 ? 0U : 1000U), "rank {} received {}",
                c.rank(), moved.bytes_received);
        std::vector<std::uint64_t> sums = {moved.bytes_sent, moved.bytes_received,
                                           moved.messages_sent, moved.messages_received};
        allreduce(c, sums, sums, Reduction::Kind::sum);
        require(sums[0] == 1000U * static_cast<unsigned>(c.size() - 1), "{} bytes sent", sums[0]);
        require(sums[0] == sums[1] && sums[2] == sums[3], "sent is not received");
        require(c.traffic(c.rank()).bytes_sent == 0, "a rank has sent to itself");
      },
      {2, 5, 8});
}

TEST(Communicators, OneAfterAnotherInOneProcess) {
  for (int round = 0; round < 10; ++round)
    run_ranks(3, [](Communicator& c) { check_broadcast<int>(c, 10, 1, 1); });
}

TEST(Communicators, ThereIsAtLeastOneRank) {
  for (const int ranks : {0, -1}) {
    try {
      run_ranks(ranks, [](Communicator&) {});
      ADD_FAILURE() << ranks << " ranks were accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    }
  }
}

}  // namespace communicators_test
}  // namespace cuboid::detail
