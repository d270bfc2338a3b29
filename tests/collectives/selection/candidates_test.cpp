#include "collectives/selection/candidates.hpp"

#include "collectives/selection/selection.hpp"
#include "collectives/selection/simulated_seconds.hpp"
#include "tests/collectives/by_asking.hpp"

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace candidates_test {

GroupCostModel torus(const Shape& shape) {
  GroupCostModel cost_model{GroupNodes::apart(static_cast<int>(shape.nodes())),
                            {.alpha = 20e-6, .beta = 8e-8},
                            {.alpha = 1e-6, .beta = 1e-10}};
  cost_model.nodes.shape = shape;
  cost_model.nodes.network = Network::of_shape(shape);
  return cost_model;
}

Collective broadcast_of(std::size_t bytes) {
  return {.operation = Operation::broadcast, .type = Datatype::Kind::byte, .count = bytes};
}

double simulated(const GroupCostModel& cost_model, const Collective& collective,
                 std::string_view name) {
  const Call call{collective, cost_model};
  const Algorithm* algorithm = find_algorithm(name);
  return fastest(call, std::span(&algorithm, 1)).value().seconds;
}

std::string_view chosen(const GroupCostModel& cost_model, const Collective& collective) {
  return select(collective, cost_model).algorithm->name;
}

// All colours carry a part of the message over links of their own.
TEST(Candidates, OfRectangularTreesIsTheBandwidthOfAllLinks) {
  const GroupCostModel on = torus(Shape::torus(std::array{4, 4}));
  const std::size_t bytes = 16 << 20;
  EXPECT_NEAR(simulated(on, broadcast_of(bytes), "rectangular"), bytes * 8e-8 / 4,
              0.05 * bytes * 8e-8 / 4);
}

// On one link of a line every message of a flat tree follows the others: the closed form.
TEST(Candidates, KnowsWhichLinksAreShared) {
  const GroupCostModel on = torus(Shape::mesh(std::array{8}));
  EXPECT_NEAR(simulated(on, broadcast_of(1 << 20), "flat"), 7 * (1 << 20) * 8e-8, 0.01);
}

TEST(Candidates, OfALongPipelineGoesOnAsItBegan) {
  const GroupCostModel on = torus(Shape::torus(std::array{3, 3}));
  const double once = simulated(on, broadcast_of(32 << 20), "chain");
  const double twice = simulated(on, broadcast_of(64 << 20), "chain");
  EXPECT_NEAR(twice / once, 2, 0.05);
}

// Slices may be of different lengths: those of packed trees are.
TEST(Candidates, OfPackedTreesIsNearTheBandwidthOfAllLinks) {
  const GroupCostModel on = torus(Shape::torus(std::array{4, 4}));
  for (const std::size_t block : {98304, 393216, 4 << 20}) {
    const Collective allgather{.operation = Operation::allgather,
                               .type = Datatype::Kind::byte,
                               .count = block,
                               .output_blocks = BlockList::equal(16, block)};
    const double bound = 15 * static_cast<double>(block) * 8e-8 / 4;
    const double seconds = simulated(on, allgather, "packed");
    EXPECT_GT(seconds, bound);
    EXPECT_LT(seconds, 1.15 * bound) << block;
  }
}

TEST(Candidates, KnowsWhatCrowdedLinksLose) {
  GroupCostModel on = torus(Shape::torus(std::array{4, 4}));
  const std::size_t block = 4 << 20;  // most of which no queue holds
  const Collective alltoall{.operation = Operation::alltoall,
                            .type = Datatype::Kind::byte,
                            .count = 16 * block,
                            .equal_blocks = true};
  const auto seconds = [&](double loss) {
    on.incast_loss = loss;
    return simulated(on, alltoall, "direct");
  };
  // Eight connections share each link.
  EXPECT_NEAR(seconds(0.2) / seconds(0), 1 / (1 - 0.2 * 0.75), 0.02);
}

// What distant nodes add in large groups is about what they add by the simulator, link by link.
TEST(Candidates, OfLargeGroupsKnowFurtherLinks) {
  struct Case {
    Operation operation;
    std::string_view algorithm;
    std::vector<int> extents = {4, 4};
  };
  for (const Case& one :
       {Case{Operation::allreduce, "recursive_doubling"},
        Case{Operation::allgather, "dissemination"},
        Case{Operation::allgather, "torus_dissemination"},
        Case{Operation::allreduce, "swing", {16}}, Case{Operation::broadcast, "binomial"},
        Case{Operation::broadcast, "knomial"}, Case{Operation::alltoall, "bruck"}}) {
    const bool blocks = has_blocks(one.operation);
    const Collective call{.operation = one.operation,
                          .type = Datatype::Kind::byte,
                          .count = one.operation == Operation::alltoall ? 128U : 8U,
                          .equal_blocks = one.operation == Operation::alltoall,
                          .output_blocks = blocks ? BlockList::equal(16, 8) : BlockList{}};
    GroupCostModel on = torus(Shape::torus(one.extents));
    on.network_overhead = 0;
    const auto further = [&](const auto& seconds) {
      on.hop_seconds = 0;
      const double without = seconds();
      on.hop_seconds = 10e-6;
      return seconds() - without;
    };
    const Algorithm& algorithm = *find_algorithm(one.algorithm);
    const double by_asking_ranks = further([&] {
      return by_asking(Call{call, on}, algorithm).value().seconds;
    });
    const double by_simulator = further([&] {
      const Settings settings = by_asking(Call{call, on}, algorithm).value().settings;
      return simulated_seconds(Call{call, on}, algorithm, settings).value();
    });
    EXPECT_GT(by_simulator, 0) << one.algorithm;
    EXPECT_GT(by_asking_ranks, 0.6 * by_simulator) << one.algorithm;
    EXPECT_LT(by_asking_ranks, 1.6 * by_simulator) << one.algorithm;
  }
}

// All ranks of a ring send their blocks to all: over its links both ways, or across them.
TEST(LineSeconds, AreThoseOfTheAlgorithm) {
  GroupCostModel on = torus(Shape::torus(std::array{4, 4}));
  on.network.alpha = on.network_overhead = 0;
  const LineOfNodes ring{Shape::torus(std::array{4}), {0, 1, 2, 3}};
  const std::size_t bytes = 1 << 20;
  const double bound = 1.5 * bytes * on.network.beta;
  const auto seconds = [&](std::string_view name) {
    return line_seconds(Operation::allgather, 4 * bytes, *find_algorithm(name), on, ring).value();
  };
  EXPECT_NEAR(seconds("rectangular"), bound, 0.1 * bound);
  EXPECT_GT(seconds("binomial"), 1.5 * bound);
  EXPECT_FALSE(
      line_seconds(Operation::allgather, bytes, *find_algorithm("van_de_geijn"), on, ring));
}

TEST(Candidates, LinksThatCatchUpHideTheDepth) {
  GroupCostModel on = torus(Shape::torus(std::array{4, 4}));
  const double without = simulated(on, broadcast_of(200000), "chain");
  on.burst_bytes = 128 << 10;
  EXPECT_LT(simulated(on, broadcast_of(200000), "chain"), without);
}

TEST(Candidates, LinksThatCatchUpAreNoQuickerThanTheyAreInTheLongRun) {
  GroupCostModel on = torus(Shape::torus(std::array{4, 4}));
  const double bound = (16 << 20) / 4.0 * on.network.beta;
  const double without = simulated(on, broadcast_of(16 << 20), "rectangular");
  on.burst_bytes = 1 << 20;
  const double with = simulated(on, broadcast_of(16 << 20), "rectangular");
  EXPECT_LT(with, without);
  EXPECT_GE(with, bound * (1 - 1e-9));
}

// Between the two ways of a ring's halves, links of the other way catch up.
TEST(Candidates, OfCallsInARowIsTheSecond) {
  GroupCostModel on = torus(Shape::torus(std::array{8}));
  const std::size_t bytes = 400'000;
  const Collective allreduce{.operation = Operation::allreduce,
                             .type = Datatype::Kind::byte,
                             .count = bytes,
                             .reduction = Reduction::Kind::sum};
  const double alone = simulated(on, allreduce, "ring");
  on.burst_bytes = 100'000;
  const double in_a_row = simulated(on, allreduce, "ring");
  EXPECT_LT(in_a_row, alone);
  // No link may carry more than its rate in the long run.
  EXPECT_GT(in_a_row, 0.5 * alone);
}

// However many calls are simulated, the cores' work is that of one.
TEST(Candidates, OfRoundsInARowCountsTheCoresOnce) {
  GroupCostModel on = torus(Shape::torus(std::array{4, 4}));
  on.network_overhead = 0.01;
  const Collective allreduce{.operation = Operation::allreduce,
                             .type = Datatype::Kind::byte,
                             .count = 64,
                             .reduction = Reduction::Kind::sum};
  const double alone = simulated(on, allreduce, "recursive_doubling");
  on.burst_bytes = 100'000;
  EXPECT_NEAR(simulated(on, allreduce, "recursive_doubling"), alone, 0.1 * alone);
}

TEST(Candidates, AreFollowedWhereAllRanksKnowFewMessages) {
  const auto are_few = [](const GroupCostModel& on, const Collective& collective) {
    return are_few_messages({collective, on});
  };
  const GroupCostModel on = torus(Shape::torus(std::array{4, 4}));
  EXPECT_TRUE(are_few(on, broadcast_of(1 << 20)));
  EXPECT_FALSE(are_few(on, broadcast_of(0)));
  EXPECT_FALSE(are_few(torus(Shape::torus(std::array{16, 16})), broadcast_of(1 << 20)));
  EXPECT_FALSE(are_few(on, {.operation = Operation::gather, .count = 8}));
  EXPECT_FALSE(are_few(on, {.operation = Operation::alltoall, .count = 8}));
}

// Of a network of which nothing is known: hosts on a switch.
TEST(Candidates, OnAnUnknownNetworkMeetAtHostsAlone) {
  GroupCostModel apart = torus(Shape::torus(std::array{4, 4}));
  apart.nodes.shape.reset();
  apart.nodes.network.reset();
  const std::size_t bytes = 1 << 20;
  EXPECT_NEAR(simulated(apart, broadcast_of(bytes), "flat"), 15 * bytes * 8e-8, 0.01);
}

// Fifteen readers of one source get no more than it delivers; a chain's read each another's.
TEST(Candidates, WithinANodeShareSourcesAndMemory) {
  GroupCostModel node{GroupNodes::one_node(16), {}, {.alpha = 1e-6, .beta = 1e-10}};
  const std::size_t bytes = 1 << 20;
  const double alone = bytes * 1e-10;
  node.source_bytes_per_second = 0.5e10;
  EXPECT_NEAR(simulated(node, broadcast_of(bytes), "flat") / alone, 30, 1);
  EXPECT_NE(chosen(node, broadcast_of(bytes)), "flat");
  EXPECT_LT(simulated(node, broadcast_of(bytes), "double_binary") / alone, 10);
  node.source_bytes_per_second = 1e13;
  EXPECT_GE(simulated(node, broadcast_of(bytes), "flat") / alone, 5);  // three at a time
}

// Every algorithm that can serve a call can be simulated, or says that it cannot.
TEST(Candidates, IsAPriceForEveryAlgorithm) {
  for (const Shape& shape : {Shape::torus(std::array{3, 2}), Shape::mesh(std::array{2, 2, 2})}) {
    const GroupCostModel on = torus(shape);
    const int ranks = static_cast<int>(shape.nodes());
    for (const Operation operation :
         {Operation::broadcast, Operation::reduce, Operation::allreduce, Operation::allgather,
          Operation::reduce_scatter, Operation::alltoall}) {
      Collective collective{.operation = operation, .type = Datatype::Kind::float64, .count = 6000};
      const BlockList blocks = BlockList::equal(ranks, 1000);
      if (operation == Operation::allgather || operation == Operation::alltoall)
        collective.output_blocks = blocks;
      if (operation == Operation::reduce_scatter || operation == Operation::alltoall)
        collective.input_blocks = blocks;
      collective.equal_blocks = operation == Operation::alltoall;
      if (operation == Operation::reduce || operation == Operation::allreduce ||
          operation == Operation::reduce_scatter)
        collective.reduction = Reduction::Kind::sum;
      const auto served = choices(collective, on);
      EXPECT_FALSE(served.empty());
      for (const Choice& choice : served)
        EXPECT_GT(choice.seconds, 0) << choice.algorithm->name << " on " << shape.to_string();
    }
  }
}

// On more nodes than are simulated in whole, of which the beginning is.
TEST(SimulatedSeconds, OfLargeToriAreWhatAllLinksCarry) {
  for (const auto& extents : {std::array{6, 6, 6}, std::array{12, 12, 12}}) {
    GroupCostModel on = torus(Shape::torus(extents));
    on.nodes.network.reset();
    const Collective collective = broadcast_of(16 << 20);
    const Call call{collective, on};
    const Algorithm* algorithm = find_algorithm("rectangular");
    const auto seconds =
        simulated_seconds(call, *algorithm, by_asking(call, *algorithm).value().settings);
    const double bound = (16 << 20) * 8e-8 / 6;
    ASSERT_TRUE(seconds);
    EXPECT_GT(*seconds, bound);
    EXPECT_LT(*seconds, 1.15 * bound);
  }
}

TEST(SimulatedSeconds, AreThereForBlocksOfAllRanks) {
  const GroupCostModel on = torus(Shape::torus(std::array{4, 4}));
  const Collective gather{
      .operation = Operation::gather, .type = Datatype::Kind::byte, .count = 65536};
  const Call call{gather, on};
  const Algorithm* algorithm = find_algorithm("direct");
  const auto seconds =
      simulated_seconds(call, *algorithm, by_asking(call, *algorithm).value().settings);
  ASSERT_TRUE(seconds);
  EXPECT_GT(*seconds, 15 * 65536 * 8e-8 / 4);  // over the four links of the root
}

}  // namespace candidates_test
}  // namespace cuboid::detail
