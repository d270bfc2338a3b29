#include "collectives/schedules/checker.hpp"

#include <cuboid/error.hpp>

#include "collectives/rounds/bruck.hpp"
#include "collectives/rounds/dissemination.hpp"
#include "collectives/rounds/pieces.hpp"
#include "collectives/rounds/recursive_doubling.hpp"
#include "collectives/rounds/tree_rounds.hpp"
#include "collectives/types/tag.hpp"
#include "tests/collectives/schedules/schedules.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace checker_test {

constexpr int most_ranks = 70;

void check_schedule(const NamedSchedule& schedule) {
  std::visit([&](const auto& how) { check(how, schedule.conditions); }, schedule.how);
}

// What `check` says against something it has to refuse; fails the test when it does not.
std::string refusal(const std::function<void()>& check) {
  try {
    check();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::internal);
    return error.what();
  }
  ADD_FAILURE() << "passed the checker";
  return "";
}

std::set<int> some_roots(int ranks) {
  return {0, ranks / 2, ranks - 1};
}

TEST(Checker, PassesEverySchedule) {
  std::vector<int> numbers(33);
  std::iota(numbers.begin(), numbers.end(), 1);
  numbers.insert(numbers.end(), {37, 64, most_ranks});
  for (const int ranks : numbers) {
    // Every root and length where that is cheap, the ends and the middle elsewhere.
    std::set<int> roots = some_roots(ranks);
    std::vector<std::size_t> lengths = {1000};
    if (ranks <= 9) {
      for (int root = 0; root < ranks; ++root) {
        roots.insert(root);
      }
      lengths = {0, 1, 1000};
    }
    for (const int root : roots) {
      for (const std::size_t elements : lengths) {
        auto schedules = moving_schedules(ranks, root, elements, 1);
        std::ranges::move(combining_schedules(ranks, root, elements, 8),
                          std::back_inserter(schedules));
        for (const NamedSchedule& schedule : schedules) {
          EXPECT_NO_THROW(check_schedule(schedule))
              << schedule.name << ", " << ranks << " ranks, root " << root;
        }
      }
    }
  }
}

TEST(Checker, PassesEveryBarrier) {
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    EXPECT_NO_THROW(check_barrier(dissemination_barrier(ranks))) << ranks;
    for (const int radix : {2, 3, 5, 8, most_ranks})
      EXPECT_NO_THROW(check_barrier(tree_barrier(ranks, radix))) << ranks << ", radix " << radix;
  }
}

// Blocks of all lengths, some of them empty.
TEST(Checker, PassesEveryTreesAllGatherAndReduceScatter) {
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    const auto blocks = uneven_blocks(ranks, 3, 8);
    for (const int radix : {2, 3, 4, 8, most_ranks}) {
      EXPECT_NO_THROW(check(tree_allgather(ranks, radix), Conditions::allgather(blocks)))
          << ranks << ", radix " << radix;
      EXPECT_NO_THROW(check(tree_reduce_scatter(ranks, radix), Conditions::reduce_scatter(blocks)))
          << ranks << ", radix " << radix;
    }
  }
}

// Rings, planes and boxes of all extents.
std::vector<Shape> shapes_of_rounds() {
  std::vector<Shape> shapes;
  for (int ranks = 1; ranks <= most_ranks; ++ranks) shapes.push_back(ring_of(ranks));
  for (int x = 1; x <= 7; ++x) {
    for (int y = 2; y <= 7; ++y) {
      shapes.push_back(Shape::torus(std::vector{x, y}));
      shapes.push_back(Shape::torus(std::vector{3, x, y}));
    }
  }
  // Of so many axes not all take their last steps at once.
  shapes.push_back(Shape::torus(std::vector{3, 2, 3, 3, 3}));
  shapes.push_back(Shape::torus(std::vector{3, 3, 3, 3, 3}));
  return shapes;
}

// Of few digits and of many, in one order of the axes or in several.
std::vector<BruckDigits> ways_to_number(const Shape& shape) {
  std::vector<BruckDigits> ways;
  for (const int radix : {2, 3, 4, 5, most_ranks}) {
    for (int orders = 1; orders <= shape.dimensions(); ++orders) {
      for (const int axes : {1, 2}) ways.push_back({radix, orders, axes});
    }
  }
  return ways;
}

TEST(Checker, PassesEveryAllToAll) {
  for (const Shape& shape : shapes_of_rounds()) {
    for (const BruckDigits& digits : ways_to_number(shape)) {
      EXPECT_NO_THROW(check_alltoall(bruck_alltoall(shape, digits), shape))
          << shape.to_string() << ", digits below " << digits.radix << ", " << digits.orders
          << " orders";
    }
  }
}

TEST(Checker, PassesDisseminationAlongAxes) {
  for (const Shape& shape : shapes_of_rounds()) {
    const auto blocks = uneven_blocks(static_cast<int>(shape.nodes()), 3, 8);
    EXPECT_NO_THROW(check(dissemination_allgather(shape), Conditions::allgather(blocks)))
        << shape.to_string();
    EXPECT_NO_THROW(check(dissemination_reduce_scatter(shape), Conditions::reduce_scatter(blocks)))
        << shape.to_string();
  }
}

// A rank's part by arithmetic is what the whole has of it.
template <class Make>
void expect_parts_of_whole(const Make& make, const Shape& shape) {
  const Rounds rounds = make(std::nullopt);
  for (int rank = 0; rank < rounds.ranks; ++rank) {
    const Rounds part = make(rank);
    ASSERT_EQ(part.rounds.size(), rounds.rounds.size());
    EXPECT_EQ(part.packed, rounds.packed);
    for (std::size_t round = 0; round < rounds.rounds.size(); ++round) {
      std::vector<Exchange> mine = rounds.rounds[round];
      std::erase_if(mine, [rank](const Exchange& exchange) {
        return exchange.sender != rank && exchange.receiver != rank;
      });
      EXPECT_TRUE(std::ranges::is_permutation(part.rounds[round], mine))
          << shape.to_string() << ", rank " << rank << ", round " << round;
    }
  }
}

TEST(Rounds, AlongAxesAnswerForOneRank) {
  for (const Shape& shape : shapes_of_rounds()) {
    if (shape.nodes() > 60) continue;
    for (auto* make : {dissemination_allgather, dissemination_reduce_scatter})
      expect_parts_of_whole([&](std::optional<int> only) { return make(shape, only); }, shape);
    for (const BruckDigits& digits : ways_to_number(shape)) {
      expect_parts_of_whole(
          [&](std::optional<int> only) { return bruck_alltoall(shape, digits, only); }, shape);
    }
  }
}

TEST(Rounds, AlongAxesAreAsFewAsAlongEach) {
  const auto rounds = [](std::vector<int> extents) {
    return dissemination_allgather(Shape::torus(extents)).rounds.size();
  };
  EXPECT_EQ(rounds({4, 4}), 4U);
  EXPECT_EQ(rounds({5, 5}), 6U);
  EXPECT_EQ(rounds({5, 4, 7}), 8U);
  EXPECT_EQ(rounds({3, 3, 3, 3}), 8U);
}

TEST(Rounds, OfAllToAllsAreAsManyAsPlacesOfDigits) {
  const auto rounds = [](std::vector<int> extents, BruckDigits digits) {
    return bruck_alltoall(Shape::torus(extents), digits).rounds.size();
  };
  EXPECT_EQ(rounds({4, 4}, {2, 1}), 4U);
  EXPECT_EQ(rounds({4, 4}, {4, 2}), 2U);
  EXPECT_EQ(rounds({5, 4, 7}, {2, 1}), 8U);
  EXPECT_EQ(rounds({5, 4, 7}, {3, 3}), 6U);
  EXPECT_EQ(rounds({9, 9, 9}, {9, 3}), 3U);
}

TEST(Checker, RefusesAllToAllsWithoutOneOfTheirMessages) {
  for (std::size_t round = 0; round < 3; ++round) {
    for (std::size_t exchange = 0; exchange < 6; ++exchange) {
      Rounds rounds = bruck_alltoall(ring_of(6), {2, 1});
      auto& spoilt = rounds.rounds[round];
      spoilt.erase(spoilt.begin() + static_cast<std::ptrdiff_t>(exchange));
      EXPECT_NE(refusal([&] { check_alltoall(rounds, ring_of(6)); }).find("ends with block"),
                std::string::npos);
    }
  }
}

// One good forest of each flow, to spoil.
class SpoiltForest : public testing::Test {
 protected:
  static constexpr int ranks = 6;
  static constexpr int root = 2;
  static constexpr std::size_t bytes = 96;

  const Conditions broadcast = Conditions::broadcast(ranks, bytes, root);
  const Conditions reduce = Conditions::reduce(ranks, bytes, root);
  const Conditions allreduce = Conditions::allreduce(ranks, bytes);
  Forest multicast = forest_from_tree(broadcast, Flow::multicast, binomial_tree);
  Forest combine = forest_from_tree(reduce, Flow::combine, binomial_tree);
  Forest both = ring_allreduce(allreduce, 8);

  static std::string refused(const Forest& forest, const Conditions& conditions) {
    return refusal([&] { check(forest, conditions); });
  }
};

TEST_F(SpoiltForest, EveryDroppedEdge) {
  for (std::size_t edge = 0; edge < multicast.trees[0].edges.size(); ++edge) {
    const std::pair<Forest, Conditions> good[] = {
        {multicast, broadcast}, {combine, reduce}, {both, allreduce}};
    for (const auto& [forest, conditions] : good) {
      Forest spoilt = forest;
      auto& edges = spoilt.trees.back().edges;
      edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(edge));
      EXPECT_NE(refused(spoilt, conditions), "");
    }
  }
}

TEST_F(SpoiltForest, EveryDuplicatedEdge) {
  for (std::size_t edge = 0; edge < multicast.trees[0].edges.size(); ++edge) {
    Forest spoilt = multicast;
    spoilt.trees[0].edges.push_back(multicast.trees[0].edges[edge]);
    EXPECT_NE(refused(spoilt, broadcast), "");
  }
}

TEST_F(SpoiltForest, ChildWithTwoParents) {
  multicast.trees[0].edges.push_back({5, 4});
  EXPECT_NE(refused(multicast, broadcast).find("reaches rank 4 twice"), std::string::npos);
}

TEST_F(SpoiltForest, EdgeBackToTheRoot) {
  multicast.trees[0].edges.push_back({5, root});
  EXPECT_NE(refused(multicast, broadcast).find("twice"), std::string::npos);
}

TEST_F(SpoiltForest, ParentBeforeItIsAChild) {
  std::reverse(multicast.trees[0].edges.begin(), multicast.trees[0].edges.end());
  EXPECT_NE(refused(multicast, broadcast).find("before the tree has reached it"),
            std::string::npos);
}

TEST_F(SpoiltForest, RanksOutsideTheGroup) {
  for (const int stranger : {-1, ranks, 1 << 20}) {
    Forest as_child = multicast;
    as_child.trees[0].edges.back().child = stranger;
    EXPECT_NE(refused(as_child, broadcast).find("leaves the group"), std::string::npos);
    Forest as_parent = multicast;
    as_parent.trees[0].edges.back().parent = stranger;
    EXPECT_NE(refused(as_parent, broadcast).find("leaves the group"), std::string::npos);
    Forest as_root = multicast;
    as_root.trees[0].root = stranger;
    EXPECT_NE(refused(as_root, broadcast), "");
  }
}

TEST_F(SpoiltForest, WrongRoot) {
  const Forest elsewhere =
      forest_from_tree(Conditions::broadcast(ranks, bytes, 3), Flow::multicast, chain);
  EXPECT_NE(refused(elsewhere, broadcast).find("does not have the block"), std::string::npos);
  const Forest ends_elsewhere =
      forest_from_tree(Conditions::reduce(ranks, bytes, 3), Flow::combine, chain);
  EXPECT_NE(refused(ends_elsewhere, reduce).find("not the one to have it"), std::string::npos);
}

TEST_F(SpoiltForest, GapsAndOverlapsOfSlices) {
  struct Change {
    const char* what;
    std::function<void(Slice&)> apply;
  };
  const Change changes[] = {{"starts late", [](Slice& slice) { ++slice.offset, --slice.bytes; }},
                            {"starts early", [](Slice& slice) { --slice.offset, ++slice.bytes; }},
                            {"ends early", [](Slice& slice) { --slice.bytes; }},
                            {"ends late", [](Slice& slice) { ++slice.bytes; }},
                            {"is empty", [](Slice& slice) { slice.bytes = 0; }}};
  for (const Change& change : changes) {
    for (const std::size_t tree : {1, 3, 5}) {
      Forest spoilt = both;
      change.apply(spoilt.trees[tree].slice);
      EXPECT_NE(refused(spoilt, allreduce).find("block 0"), std::string::npos)
          << "tree " << tree << " " << change.what;
    }
  }
}

TEST_F(SpoiltForest, SliceTwiceOrNotAtAll) {
  Forest twice = both;
  twice.trees.push_back(twice.trees[0]);
  twice.trees.back().channel = 99;
  EXPECT_NE(refused(twice, allreduce).find("not carried once"), std::string::npos);
  Forest missing = both;
  missing.trees.pop_back();
  EXPECT_NE(refused(missing, allreduce).find("only up to byte"), std::string::npos);
}

TEST_F(SpoiltForest, SharedChannel) {
  // Chains with neighbouring roots have edges in common: only the channel tells them apart.
  both.trees[1].channel = both.trees[0].channel;
  EXPECT_NE(refused(both, allreduce).find("channel"), std::string::npos);
}

TEST_F(SpoiltForest, ChannelThatDoesNotFitATag) {
  multicast.trees[0].channel = Tag::max_channels;
  EXPECT_NE(refused(multicast, broadcast).find("channel"), std::string::npos);
}

TEST_F(SpoiltForest, BlockThatDoesNotExist) {
  for (const int block : {-1, 1}) {
    Forest spoilt = multicast;
    spoilt.trees[0].block = block;
    EXPECT_NE(refused(spoilt, broadcast).find("does not exist"), std::string::npos);
  }
}

TEST_F(SpoiltForest, WrongFlow) {
  EXPECT_NE(refused(combine, broadcast), "");
  EXPECT_NE(refused(multicast, reduce), "");
  // A combining forest leaves the result at one rank only.
  combine.trees[0].root = 0;
  combine.trees[0].edges = chain(ranks, 0);
  EXPECT_NE(refused(combine, allreduce), "");
}

TEST_F(SpoiltForest, WrongNumberOfRanks) {
  EXPECT_NE(refused(multicast, Conditions::broadcast(ranks + 1, bytes, root)), "");
  EXPECT_NE(refused(multicast, Conditions::broadcast(ranks - 1, bytes, root)), "");
}

class SpoiltRounds : public testing::Test {
 protected:
  static std::string refused(const Rounds& rounds, const Conditions& conditions) {
    return refusal([&] { check(rounds, conditions); });
  }
  // Every rounds of `good` with one exchange less must be refused.
  template <class Check>
  static void expect_every_exchange_to_matter(const Rounds& good, Check check) {
    for (std::size_t round = 0; round < good.rounds.size(); ++round) {
      for (std::size_t exchange = 0; exchange < good.rounds[round].size(); ++exchange) {
        Rounds spoilt = good;
        auto& exchanges = spoilt.rounds[round];
        exchanges.erase(exchanges.begin() + static_cast<std::ptrdiff_t>(exchange));
        EXPECT_NE(refusal([&] { check(spoilt); }), "") << round << ", " << exchange;
      }
    }
  }
};

TEST_F(SpoiltRounds, EveryMissingExchange) {
  for (const int ranks : {2, 5, 8, 13}) {
    const std::vector<std::size_t> blocks(static_cast<std::size_t>(ranks), 8);
    expect_every_exchange_to_matter(
        dissemination_allgather(ring_of(ranks)),
        [&](const Rounds& rounds) { check(rounds, Conditions::allgather(blocks)); });
    expect_every_exchange_to_matter(recursive_doubling_allreduce(ranks), [&](const Rounds& rounds) {
      check(rounds, Conditions::allreduce(ranks, 8));
    });
    expect_every_exchange_to_matter(dissemination_barrier(ranks), check_barrier);
    expect_every_exchange_to_matter(tree_barrier(ranks, 3), check_barrier);
    expect_every_exchange_to_matter(tree_allgather(ranks, 3), [&](const Rounds& rounds) {
      check(rounds, Conditions::allgather(blocks));
    });
    expect_every_exchange_to_matter(tree_reduce_scatter(ranks, 3), [&](const Rounds& rounds) {
      check(rounds, Conditions::reduce_scatter(blocks));
    });
  }
}

TEST_F(SpoiltRounds, ContributionCombinedTwice) {
  Rounds rounds = recursive_doubling_allreduce(8);
  rounds.rounds.push_back(rounds.rounds.back());
  EXPECT_NE(refused(rounds, Conditions::allreduce(8, 8)).find("twice"), std::string::npos);
}

TEST_F(SpoiltRounds, ResultReplacedByAPart) {
  Rounds rounds = recursive_doubling_allreduce(8);
  for (Exchange& exchange : rounds.rounds.back()) exchange.combine = false;
  EXPECT_NE(refused(rounds, Conditions::allreduce(8, 8)).find("ends without the whole"),
            std::string::npos);
}

TEST_F(SpoiltRounds, BlockThatTheSenderDoesNotHave) {
  const std::vector<std::size_t> blocks(4, 8);
  Rounds rounds = dissemination_allgather(ring_of(4));
  std::swap(rounds.rounds[0], rounds.rounds[1]);
  EXPECT_NE(refused(rounds, Conditions::allgather(blocks)).find("does not have"),
            std::string::npos);
}

TEST_F(SpoiltRounds, StrangersAndUnknownBlocks) {
  const std::vector<std::size_t> blocks(4, 8);
  const Conditions conditions = Conditions::allgather(blocks);
  for (const int stranger : {-1, 4}) {
    Rounds from = dissemination_allgather(ring_of(4));
    from.rounds[0][0].sender = stranger;
    EXPECT_NE(refused(from, conditions), "");
    Rounds to = dissemination_allgather(ring_of(4));
    to.rounds[0][0].receiver = stranger;
    EXPECT_NE(refused(to, conditions), "");
    Rounds what = dissemination_allgather(ring_of(4));
    what.rounds[0][0].blocks = {stranger};
    EXPECT_NE(refused(what, conditions), "");
    Rounds barrier = dissemination_barrier(4);
    barrier.rounds[0][0].sender = stranger;
    EXPECT_NE(refusal([&] { check_barrier(barrier); }), "");
  }
}

TEST_F(SpoiltRounds, WrongNumberOfRanks) {
  EXPECT_NE(refused(recursive_doubling_allreduce(4), Conditions::allreduce(5, 8)), "");
}

TEST(Rounds, TakeLog2Steps) {
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    const auto up = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(ranks - 1)));
    const auto down = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(ranks)) - 1);
    EXPECT_EQ(dissemination_barrier(ranks).rounds.size(), up);
    EXPECT_EQ(dissemination_allgather(ring_of(ranks)).rounds.size(), up);
    EXPECT_EQ(recursive_doubling_allreduce(ranks).rounds.size(), up == down ? down : down + 2);
  }
}

TEST(Rounds, ATreeTakesTwoMessagesForEachRankButOne) {
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    for (const int radix : {2, 3, 8}) {
      for (auto* tree : {tree_barrier, tree_allgather, tree_reduce_scatter}) {
        const Rounds rounds = tree(ranks, radix, {});
        int messages = 0;
        for (const auto& round : rounds.rounds) messages += static_cast<int>(round.size());
        EXPECT_EQ(messages, 2 * (ranks - 1));
        for (int rank = 0; rank < ranks; ++rank) {
          const Rounds part = tree(ranks, radix, rank);
          ASSERT_EQ(part.rounds.size(), rounds.rounds.size());
          for (std::size_t round = 0; round < rounds.rounds.size(); ++round) {
            std::vector<Exchange> mine = rounds.rounds[round];
            std::erase_if(mine, [rank](const Exchange& exchange) {
              return exchange.sender != rank && exchange.receiver != rank;
            });
            EXPECT_EQ(part.rounds[round], mine) << ranks << ", rank " << rank;
          }
        }
      }
    }
  }
}

TEST(Rounds, DisseminationReceivesEveryBlockOnce) {
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    std::vector<std::size_t> received(static_cast<std::size_t>(ranks), 0);
    for (const auto& round : dissemination_allgather(ring_of(ranks)).rounds) {
      for (const Exchange& exchange : round)
        received[static_cast<std::size_t>(exchange.receiver)] += exchange.blocks.size();
    }
    for (const std::size_t blocks : received)
      EXPECT_EQ(blocks, static_cast<std::size_t>(ranks) - 1) << ranks << " ranks";
  }
}

TEST(SharedEdges, NoneWhereTreesAreDisjoint) {
  EXPECT_TRUE(shared_edges(forest_from_tree(Conditions::broadcast(9, 8, 4), Flow::multicast, chain))
                  .empty());
  Forest opposite{
      .ranks = 3,
      .flow = Flow::multicast,
      .trees = {{.root = 0, .edges = {{0, 1}, {1, 2}}}, {.root = 2, .edges = {{2, 1}, {1, 0}}}}};
  EXPECT_TRUE(shared_edges(opposite).empty());
  // Data that comes back the same way uses the other direction of the link.
  opposite.flow = Flow::combine_then_multicast;
  EXPECT_EQ(shared_edges(opposite).size(), 4U);
}

TEST(SharedEdges, AreNamedInTheDirectionOfTheData) {
  Forest forest{.ranks = 3,
                .flow = Flow::multicast,
                .trees = {{.root = 0, .edges = {{0, 1}, {1, 2}}},
                          {.root = 1, .edges = {{1, 2}, {2, 0}}},
                          {.root = 1, .edges = {{1, 2}, {1, 0}}}}};
  const auto outwards = shared_edges(forest);
  ASSERT_EQ(outwards.size(), 1U);
  EXPECT_EQ(outwards[0].from, 1);
  EXPECT_EQ(outwards[0].to, 2);
  EXPECT_EQ(outwards[0].trees, (std::vector<std::size_t>{0, 1, 2}));

  forest.flow = Flow::combine;
  const auto inwards = shared_edges(forest);
  ASSERT_EQ(inwards.size(), 1U);
  EXPECT_EQ(inwards[0].from, 2);
  EXPECT_EQ(inwards[0].to, 1);
}

TEST(SharedEdges, RingAllreduceUsesEveryEdgeInBothPhases) {
  constexpr int ranks = 5;
  const auto shared = shared_edges(ring_allreduce(Conditions::allreduce(ranks, 40), 8));
  ASSERT_EQ(shared.size(), 2U * ranks);
  for (const SharedEdge& edge : shared) EXPECT_EQ(edge.trees.size(), 4U);
}

}  // namespace checker_test
}  // namespace cuboid::detail
