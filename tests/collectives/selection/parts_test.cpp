// Every algorithm tells one rank what it does in what the algorithm builds for all.

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/selection/modelled_call.hpp"
#include "collectives/selection/plan_for_rank.hpp"
#include "collectives/selection/selection.hpp"
#include "collectives/selection/simulated_seconds.hpp"
#include "tests/collectives/by_asking.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace parts_test {

GroupCostModel on(const Shape& shape, int ranks_per_node = 1) {
  GroupCostModel cost_model{{}, {30e-6, 1e-8}, {1e-6, 2e-10}};
  for (int node = 0; node < static_cast<int>(shape.nodes()); ++node) {
    auto& ranks = cost_model.nodes.ranks_of_node.emplace_back();
    for (int rank = 0; rank < ranks_per_node; ++rank) ranks.push_back(node * ranks_per_node + rank);
  }
  cost_model.nodes.shape = shape;
  return cost_model;
}

Collective call_of(Operation operation, int ranks, std::size_t bytes, int root) {
  Collective call{.operation = operation, .count = bytes, .root = root};
  if (!has_blocks(operation)) return call;
  call.count = bytes / static_cast<std::size_t>(ranks) + 1;
  const BlockList blocks = BlockList::equal(ranks, call.count);
  call.equal_blocks = operation == Operation::alltoall;
  if (operation == Operation::allgather || operation == Operation::alltoall)
    call.output_blocks = blocks;
  if (operation == Operation::reduce_scatter || operation == Operation::alltoall)
    call.input_blocks = blocks;
  return call;
}

void expect_same(const RankPart& part, const ForestOrRounds& whole, int rank,
                 const std::string& what) {
  if (const auto* forest = std::get_if<Forest>(&whole)) {
    ASSERT_TRUE(std::holds_alternative<ForestPart>(part)) << what;
    EXPECT_EQ(std::get<ForestPart>(part).trees, part_of(*forest, rank).trees) << what;
    return;
  }
  ASSERT_TRUE(std::holds_alternative<Rounds>(part)) << what;
  Rounds mine = std::get<Rounds>(part);
  Rounds expected = part_of(std::get<Rounds>(whole), rank);
  // Exchanges of a round happen at once, in whichever order they are named, but for those between
  // the same two ranks.
  const auto ends = [](const Exchange& one) { return std::pair(one.sender, one.receiver); };
  for (Rounds* rounds : {&mine, &expected}) {
    for (auto& round : rounds->rounds) std::ranges::stable_sort(round, {}, ends);
  }
  EXPECT_EQ(mine.packed, expected.packed) << what;
  EXPECT_EQ(mine.rounds, expected.rounds) << what;
}

// Of every `stride`-th rank.
void expect_parts_of_the_whole(const GroupCostModel& cost_model, Operation operation,
                               std::size_t bytes, int root, int stride = 1) {
  const int ranks = cost_model.ranks();
  const Collective collective = call_of(operation, ranks, bytes, root);
  const Call call{collective, cost_model};
  for (const Algorithm& algorithm : algorithms()) {
    if (!algorithm.serves(operation)) continue;
    const auto estimate = by_asking(call, algorithm);
    if (!estimate) continue;
    const Conditions conditions =
        in_pieces_of(algorithm, call, conditions_of(call, algorithm), estimate->settings);
    const ForestOrRounds whole = algorithm.build(call, conditions, estimate->settings);
    for (int rank = 0; rank < ranks; rank += stride) {
      expect_same(algorithm.part(call, conditions, estimate->settings, rank), whole, rank,
                  to_string(operation) + " by " + std::string(algorithm.name) + " of rank " +
                      std::to_string(rank) + " of " + std::to_string(ranks) + ", root " +
                      std::to_string(root));
    }
  }
}

constexpr Operation operations[] = {
    Operation::barrier,   Operation::broadcast, Operation::reduce,
    Operation::allreduce, Operation::allgather, Operation::reduce_scatter,
    Operation::gather,    Operation::scatter,   Operation::alltoall};

TEST(RankParts, AreThoseOfTheWhole) {
  std::vector<GroupCostModel> groups = {
      on(Shape::torus(std::array{4, 4})), on(Shape::torus(std::array{3, 2})),
      on(Shape::mesh(std::array{2, 3})),  on(Shape::torus(std::array{2, 2, 2})),
      on(Shape::torus(std::array{5}), 3), on(Shape({{2, true}, {3, false}}), 2)};
  for (const int ranks : {1, 2, 5, 8, 13})
    groups.push_back({GroupNodes::apart(ranks), {30e-6, 1e-8}, {1e-6, 2e-10}});
  for (const GroupCostModel& cost_model : groups) {
    for (const Operation operation : operations) {
      for (const std::size_t bytes : {std::size_t{1}, std::size_t{1} << 22}) {
        for (const int root : {0, cost_model.ranks() / 2, cost_model.ranks() - 1})
          expect_parts_of_the_whole(cost_model, operation, bytes, root);
      }
    }
  }
}

// Larger ones at some ranks.
TEST(RankParts, OfManyRanksAreThoseOfTheWhole) {
  std::vector<GroupCostModel> groups = {
      on(Shape::torus(std::array{5, 6, 7})), on(Shape::torus(std::array{8, 8, 4})),
      on(Shape::torus(std::array{3, 3, 3, 3, 3})), on(Shape({{9, true}, {5, false}, {3, true}})),
      on(Shape::torus(std::array{6, 5}), 4)};
  for (const int ranks : {100, 128})
    groups.push_back({GroupNodes::apart(ranks), {30e-6, 1e-8}, {1e-6, 2e-10}});
  for (const GroupCostModel& cost_model : groups) {
    for (const Operation operation : operations) {
      for (const std::size_t bytes : {std::size_t{8}, std::size_t{1} << 17})
        expect_parts_of_the_whole(cost_model, operation, bytes, cost_model.ranks() / 3, 37);
    }
  }
}

// What one rank of a large network plans does not grow with the network.
TEST(RankParts, OfLargeToriAreFewSteps) {
  for (const Shape& shape :
       {Shape::torus(std::array{32, 32, 32}), Shape::torus(std::array{64, 64, 64})}) {
    const GroupCostModel cost_model = on(shape);
    for (const Operation operation :
         {Operation::barrier, Operation::broadcast, Operation::reduce, Operation::allreduce}) {
      for (const std::size_t bytes : {std::size_t{8}, std::size_t{64} << 20}) {
        const Collective call = call_of(operation, cost_model.ranks(), bytes, 0);
        const Choice choice = select(call, cost_model);
        const auto planned = plan_for_rank(call, cost_model, 12345, choice);
        EXPECT_LT(planned.schedule.steps.size(), 60000U) << describe(choice);
      }
    }
  }
}

// Networks between which a part of the colours, or an algorithm, used to be lost.
TEST(Selection, UsesAllLinksForAnAllReduceOnLargeTori) {
  for (const Shape& shape :
       {Shape::torus(std::array{8, 8, 8}), Shape::torus(std::array{10, 10, 10}),
        Shape::torus(std::array{12, 12, 12}), Shape::torus(std::array{16, 32, 32})}) {
    const std::size_t bytes = std::size_t{64} << 20;
    const Collective call = call_of(Operation::allreduce, 1, bytes, 0);
    const GroupCostModel cost_model = on(shape);
    const auto choice = by_asking({call, cost_model}, *find_algorithm("rectangular"));
    ASSERT_TRUE(choice);
    const double bound = static_cast<double>(bytes) * cost_model.network.beta / 3;
    EXPECT_LT(choice->seconds, 1.15 * bound) << shape.to_string();
  }
}

}  // namespace parts_test
}  // namespace cuboid::detail
