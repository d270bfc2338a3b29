#include "collectives/selection/choice_cache.hpp"

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace choice_cache_test {

GroupCostModel on_line(int nodes, bool wraps) {
  GroupCostModel cost_model{GroupNodes::apart(nodes), {30e-6, 8e-8}, {1e-6, 2e-10}};
  cost_model.nodes.shape = Shape({{nodes, wraps}});
  return cost_model;
}

Collective broadcast(std::size_t bytes, int root = 0) {
  return {.operation = Operation::broadcast, .count = bytes, .root = root};
}

void expect_equal(const Choice& one, const Choice& other) {
  EXPECT_EQ(one.algorithm, other.algorithm);
  EXPECT_EQ(one.seconds, other.seconds);
  EXPECT_EQ(one.settings.pipelining.segment_bytes, other.settings.pipelining.segment_bytes);
}

TEST(ClassOfACall, IsAtMostAnEighthLonger) {
  const GroupCostModel ring = on_line(4, true);
  std::size_t before = 0;
  for (std::size_t bytes = 0; bytes < 5000; ++bytes) {
    const std::size_t rounded = class_of(broadcast(bytes), ring).count;
    EXPECT_GE(rounded, std::max(bytes, before)) << bytes;
    EXPECT_LE(8 * rounded, 9 * bytes) << bytes;
    EXPECT_EQ(class_of(broadcast(rounded), ring).count, rounded);
    before = rounded;
  }
  for (std::size_t bytes = 1; bytes < (std::size_t{1} << 40); bytes *= 2) {
    EXPECT_EQ(class_of(broadcast(bytes), ring).count, bytes);
    EXPECT_EQ(class_of(broadcast(bytes + bytes / 2), ring).count, bytes + bytes / 2);
  }
}

TEST(ClassOfACall, HasNoRootWhereAllNodesLookAlike) {
  EXPECT_EQ(class_of(broadcast(1000, 3), on_line(4, true)).root, 0);
  EXPECT_EQ(class_of(broadcast(1000, 3), on_line(4, false)).root, 3);
  GroupCostModel plane{GroupNodes::apart(12), {30e-6, 8e-8}, {1e-6, 2e-10}};
  plane.nodes.shape = Shape({{3, true}, {1, false}, {4, true}});
  EXPECT_EQ(class_of(broadcast(1000, 7), plane).root, 0);
  GroupCostModel two_per_node = on_line(2, true);
  two_per_node.nodes.ranks_of_node = {{0, 1}, {2, 3}};
  EXPECT_EQ(class_of(broadcast(1000, 3), two_per_node).root, 3);
}

TEST(ClassOfACall, RoundsEveryBlock) {
  const Collective call{.operation = Operation::reduce_scatter,
                        .count = 1001,
                        .reduction = Reduction::Kind::sum,
                        .input_blocks = {{1001, 0, 7}, {0, 1001, 2000}}};
  const Collective its_class = class_of(call, on_line(3, true));
  EXPECT_EQ(its_class.input_blocks, BlockList({1024, 0, 7}, {0, 1024, 1024}));
}

TEST(ChoiceCache, AreThoseOfTheClassWhicheverCallCameFirst) {
  const GroupCostModel ring = on_line(4, true);
  for (const std::size_t first : {9000U, 9100U, 9216U}) {
    ChoiceCache kept;
    kept.select(broadcast(first, 1), ring, {});
    for (int root = 0; root < 4; ++root)
      expect_equal(kept.select(broadcast(9050, root), ring, {}), select(broadcast(9216), ring));
    EXPECT_EQ(kept.size(), 1U);
    kept.select(broadcast(9217), ring, {});
    EXPECT_EQ(kept.size(), 2U);
  }
}

TEST(ChoiceCache, AreBounded) {
  const GroupCostModel ring = on_line(2, true);
  ChoiceCache kept;
  for (std::size_t bytes = 1; bytes < (std::size_t{1} << 24); bytes += bytes / 16 + 1) {
    kept.select({.operation = Operation::broadcast, .count = bytes}, ring, {});
    kept.select(
        {.operation = Operation::broadcast, .type = Datatype::Kind::float64, .count = bytes}, ring,
        {});
    kept.select({.operation = Operation::broadcast, .type = Datatype::Kind::int32, .count = bytes},
                ring, {});
  }
  EXPECT_LE(kept.size(), 512U);
  EXPECT_GT(kept.size(), 400U);
}

TEST(ChoiceCache, ObeyRulesForTheCallsOwnLength) {
  const GroupCostModel ring = on_line(4, true);
  const auto rules = AlgorithmRules::parse("broadcast:-9000:binomial", "a test");
  ChoiceCache kept;
  EXPECT_EQ(kept.select(broadcast(9000), ring, rules).algorithm->name, "binomial");
  expect_equal(kept.select(broadcast(9001), ring, rules), select(broadcast(9216), ring));
}

TEST(ChoicesOfGroups, AreSharedByGroupsThatLieAlike) {
  ChoicesOfGroups choices;
  GroupNodes ring = on_line(4, true).nodes, line = on_line(4, false).nodes, reversed = ring;
  std::ranges::reverse(reversed.ranks_of_node);
  GroupNodes slower = ring;
  slower.link_bytes_per_second = 1e6;
  const auto of_ring = choices.of(ring);
  EXPECT_EQ(choices.of(on_line(4, true).nodes), of_ring);
  for (const GroupNodes& other : {line, reversed, slower, GroupNodes::apart(4)})
    EXPECT_NE(choices.of(other), of_ring);
  EXPECT_NE(choices.of(GroupNodes::apart(4)), choices.of(GroupNodes::apart(4)));
}

TEST(ChoicesOfGroups, AreBounded) {
  ChoicesOfGroups choices;
  const std::weak_ptr<ChoiceCache> first = choices.of(on_line(2, true).nodes);
  for (int nodes = 3; nodes < 40; ++nodes) choices.of(on_line(nodes, true).nodes);
  EXPECT_TRUE(first.expired());
}

}  // namespace choice_cache_test
}  // namespace cuboid::detail
