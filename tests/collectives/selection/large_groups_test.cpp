// What large groups' schedules are taken to need, against the simulator: of each call, the one that
// selection would choose where it does not simulate.

#include <cuboid/shape.hpp>

#include "collectives/evaluation/shape_of_ranks.hpp"
#include "collectives/evaluation/symmetric_rounds.hpp"
#include "collectives/selection/modelled_call.hpp"
#include "collectives/selection/simulated_seconds.hpp"
#include "tests/collectives/blue_gene.hpp"
#include "tests/collectives/by_asking.hpp"
#include "tests/collectives/operation_name.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace large_groups_test {

// Tori, meshes, odd extents, extents of 1, no powers of two. None of a ring of two nodes: it has
// two cables, both of which trees and buckets use, and the simulator knows one way between two
// nodes.
constexpr const char* shapes[] = {"torus:4x4",   "torus:3x5",   "mesh:3x5",    "torus:4x1x4",
                                  "torus:4x4x4", "torus:7x7",   "torus:15",    "mesh:6x6",
                                  "mesh:8x8",    "torus:5x5x5", "torus:6x6x6", "torus:4x4x4x4",
                                  "torus:16x16", "mesh:4x4x4",  "mesh:5x5x5"};

constexpr std::size_t kibi = 1 << 10;
constexpr std::size_t mebi = 1 << 20;

Collective call_on(Operation operation, std::size_t bytes, int ranks) {
  Collective call = call_of(operation, bytes, ranks);
  if (operation == Operation::reduce || operation == Operation::allreduce ||
      operation == Operation::reduce_scatter)
    call.reduction = Reduction::Kind::sum;
  return call;
}

std::optional<Choice> cheapest(const Call& call) {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.serves(call.operation())) all.push_back(&algorithm);
  }
  const auto choices = choices_in_large_group(call, all);
  if (choices.empty()) return std::nullopt;
  return choices.front();
}

constexpr std::size_t sizes[] = {8,        4 * kibi,  32 * kibi, 256 * kibi,
                                 2 * mebi, 16 * mebi, 64 * mebi};

// Over what is simulated, of what large groups would choose.
void add_ratios(Operation operation, const char* spec, std::vector<double>& ratios) {
  const Shape shape = parse_shape(spec).shape;
  const GroupCostModel cost_model = blue_gene(shape);
  // Trees of all roots, or messages for all ranks, take the simulator long.
  const int most = operation == Operation::alltoall    ? 100
                   : has_blocks(operation)             ? 125
                   : operation == Operation::allreduce ? 125
                                                       : 256;
  if (cost_model.ranks() > most) return;
  for (const std::size_t bytes : sizes) {
    const Collective collective = call_on(operation, bytes, cost_model.ranks());
    const Call call{collective, cost_model};
    if (operation == Operation::alltoall && bytes > 2 * mebi) continue;
    // Blocks are of whole bytes.
    if (has_blocks(operation) && bytes < 8 * static_cast<std::size_t>(shape.nodes())) continue;
    const auto chosen = cheapest(call);
    ASSERT_TRUE(chosen);
    const auto simulated = simulated_seconds(call, *chosen->algorithm, chosen->settings);
    if (!simulated) continue;
    ratios.push_back(chosen->seconds / *simulated);
  }
}

class LargeGroups : public testing::TestWithParam<Operation> {};

// Nothing is fitted: the ranks that are asked tell. What is chosen is what they know least of.
TEST_P(LargeGroups, TakeAboutWhatIsSimulated) {
  std::vector<double> ratios;
  for (const char* spec : shapes) add_ratios(GetParam(), spec, ratios);
  ASSERT_GT(ratios.size(), 20U);
  std::ranges::sort(ratios);
  const auto quantile = [&](std::size_t percent) {
    return ratios[(ratios.size() - 1) * percent / 100];
  };
  EXPECT_NEAR(quantile(50), 1, 0.05);
  EXPECT_GT(quantile(10), 0.75);
  EXPECT_LT(quantile(90), 1.15);
}

// Of the algorithms, each with the settings that ranks' answers speak for, the one that the
// simulator finds the fastest or one that is nearly as fast.
TEST_P(LargeGroups, ChooseWellAmongAlgorithms) {
  std::vector<double> regrets;
  for (const char* spec : {"torus:5x5x4", "mesh:10x10", "torus:11x9", "torus:8x8"}) {
    const GroupCostModel cost_model = blue_gene(parse_shape(spec).shape);
    // The simulator takes long for a message of every rank to every other.
    if (GetParam() == Operation::alltoall && cost_model.ranks() > 64) continue;
    for (const std::size_t bytes :
         {std::size_t{1} << 12, std::size_t{1} << 16, std::size_t{1} << 20}) {
      const Collective collective = call_on(GetParam(), bytes, cost_model.ranks());
      const Call call{collective, cost_model};
      std::vector<const Algorithm*> all;
      for (const Algorithm& algorithm : algorithms()) {
        if (algorithm.serves(GetParam())) all.push_back(&algorithm);
      }
      const auto choices = best_of_each_in_large_group(call, all);
      std::vector<double> simulated;
      for (const Choice& choice : choices) {
        if (choice.seconds > 1.5 * choices.front().seconds) break;
        simulated.push_back(
            simulated_seconds(call, *choice.algorithm, choice.settings).value_or(choice.seconds));
      }
      regrets.push_back(simulated.front() / std::ranges::min(simulated) - 1);
      EXPECT_LE(regrets.back(), 0.25)
          << spec << ", " << bytes << " bytes, " << choices.front().algorithm->name;
    }
  }
  std::ranges::sort(regrets);
  EXPECT_LT(regrets[regrets.size() / 2], 0.01);
}

// All ranks do the same at the same time, so that one rank's messages tell what all take.
TEST(EqualRanks, TakeWhatIsSimulated) {
  struct Case {
    Operation operation;
    const char* algorithm;
  };
  // Which of two messages that are ready at the same time goes first may differ: where a round is
  // of many, or rounds are, that is more; so it is where ranks hand on what they combine.
  constexpr double hardly = 0.01;
  constexpr double little = 0.14;
  for (const char* spec : {"torus:4x4", "torus:3x5", "torus:7x7", "torus:5x5x5", "torus:6x6x6",
                           "torus:4x1x4", "torus:2x3x4", "torus:3x3x3x3", "torus:15", "torus:16"}) {
    const Shape shape = parse_shape(spec).shape;
    const GroupCostModel cost_model = blue_gene(shape);
    for (const auto& [operation, name] :
         {Case{Operation::allgather, "torus_dissemination"},
          Case{Operation::reduce_scatter, "torus_dissemination"},
          Case{Operation::allgather, "bucket"}, Case{Operation::reduce_scatter, "bucket"},
          Case{Operation::allreduce, "bucket"}, Case{Operation::alltoall, "torus_bruck"},
          Case{Operation::alltoall, "bruck"}}) {
      if (shape.dimensions() > 1 && std::string_view(name) == "bruck") continue;
      for (const std::size_t block : {30, 300, 1000}) {
        const std::size_t bytes = block * static_cast<std::size_t>(cost_model.ranks());
        const Collective collective = call_on(operation, bytes, cost_model.ranks());
        const Call call{collective, cost_model};
        const Algorithm& algorithm = *find_algorithm(name);
        const auto asked = by_asking(call, algorithm);
        if (!asked) continue;
        const auto simulated = simulated_seconds(call, algorithm, asked->settings);
        ASSERT_TRUE(simulated);
        EXPECT_NEAR(asked->seconds / *simulated, 1,
                    std::string_view(name) == "torus_dissemination" ? hardly : little)
            << to_string(operation) << " by " << name << " on " << spec << ", " << bytes
            << " bytes: " << asked->seconds * 1e6 << " us, simulated " << *simulated * 1e6 << " us";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, LargeGroups,
                         testing::Values(Operation::broadcast, Operation::reduce,
                                         Operation::allreduce, Operation::allgather,
                                         Operation::reduce_scatter, Operation::alltoall));

// What is counted axis by axis is what the messages of all distances are together.
TEST(CommonLinks, MessagesToAllAreThoseOfEachDistance) {
  for (const char* spec : {"torus:4x3", "torus:2x5x1", "mesh:3x4", "torus:6,mesh:2x3", "ring:7"}) {
    for (const int ranks_per_node : {1, 3}) {
      for (const bool in_a_shape : {true, false}) {
        GroupCostModel cost_model = blue_gene(parse_shape(spec).shape);
        if (in_a_shape) cost_model.injection_bytes_per_second = 1e9;
        int rank = 0;
        for (auto& on_node : cost_model.nodes.ranks_of_node) {
          on_node.resize(static_cast<std::size_t>(ranks_per_node));
          for (int& one : on_node) one = rank++;
        }
        if (!in_a_shape) cost_model.nodes.shape.reset();
        const Collective collective = call_of(Operation::alltoall, 4096, rank);
        const Call call(collective, cost_model);
        const Shape shape = shape_of_ranks(call).value_or(ring_of(rank));
        const CommonLinks links(call, shape);
        std::vector<double> at_once(links.bytes_per_second().size(), 0.0);
        std::vector<double> one_by_one = at_once;
        double farthest = 0;
        for (int distance = 1; distance < rank; ++distance)
          farthest = std::max(farthest, links.cross(shape.coordinate(distance), one_by_one));
        EXPECT_EQ(links.cross_to_all(at_once), farthest) << spec;
        for (std::size_t kind = 0; kind < at_once.size(); ++kind)
          EXPECT_NEAR(at_once[kind], one_by_one[kind], 1e-9) << spec << ", kind " << kind;
      }
    }
  }
}

}  // namespace large_groups_test
}  // namespace cuboid::detail
