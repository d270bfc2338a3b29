// The evaluator on random schedules of random machines: not only on those that algorithms make.

#include "collectives/selection/evaluator.hpp"

#include "collectives/schedules/slices.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace evaluator_test {

class Random {
 public:
  int below(int bound) { return static_cast<int>(generator_() % static_cast<unsigned>(bound)); }
  double between(double least, double most) {
    const double part = static_cast<double>(generator_()) / 4294967295.0;
    return least * std::pow(most / least, part);
  }

  // Some ranks on each of some nodes of a ring, a mesh or a switch.
  GroupCostModel machine() { return machine(1 + below(6)); }

  GroupCostModel machine(int nodes) {
    const int of_each = 1 + below(nodes == 1 ? 8 : 3);
    GroupCostModel machine{GroupNodes::apart(nodes),
                           {between(1e-7, 1e-4), 1 / between(1e7, 1e11)},
                           {between(1e-7, 1e-5), 1 / between(1e9, 1e11)}};
    int rank = 0;
    for (auto& on_node : machine.nodes.ranks_of_node) {
      on_node.clear();
      for (int i = 0; i < of_each; ++i) on_node.push_back(rank++);
    }
    if (nodes > 1 && below(3) > 0) machine.nodes.shape = Shape({{nodes, below(2) == 0}});
    machine.network_overhead = between(1e-8, 1e-5);
    machine.source_bytes_per_second = between(1e9, 1e11);
    if (below(4) == 0) machine.ranks_per_core = std::min(2, machine.ranks());
    return machine;
  }

  // A tree in whose order a rank is a child before it is a parent.
  Tree tree(int ranks, std::size_t bytes) {
    std::vector<int> order(static_cast<std::size_t>(ranks));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::shuffle(order.begin(), order.end(), generator_);
    Tree tree{.slice = {0, bytes}, .root = order.front()};
    for (std::size_t i = 1; i < order.size(); ++i)
      tree.edges.push_back({order[static_cast<std::size_t>(below(static_cast<int>(i)))], order[i]});
    return tree;
  }

  Forest forest(int ranks, std::size_t bytes) {
    constexpr Flow flows[] = {Flow::multicast, Flow::combine, Flow::combine_then_multicast};
    Forest forest{ranks, flows[below(3)]};
    for (int trees = 1 + below(4); trees > 0; --trees)
      forest.trees.push_back(tree(ranks, bytes / static_cast<std::size_t>(trees)));
    return forest;
  }

  Rounds rounds(int ranks, int blocks) {
    Rounds rounds{ranks};
    for (int round = 1 + below(4); round > 0; --round) {
      auto& exchanges = rounds.rounds.emplace_back();
      for (int sender = 0; sender < ranks; ++sender) {
        Exchange exchange{sender, (sender + 1 + below(ranks - 1)) % ranks};
        for (int block = 0; block < blocks; ++block) {
          if (below(2) == 0) exchange.blocks.push_back(block);
        }
        exchange.combine = below(2) == 0;
        exchanges.push_back(std::move(exchange));
      }
    }
    rounds.packed = below(2) == 0;
    return rounds;
  }

 private:
  std::mt19937 generator_;
};

constexpr double rounding = 1 + 1e-9;

TEST(Evaluator, NeverTakesLessThanTheBound) {
  Random random;
  for (int run = 0; run < 400; ++run) {
    const GroupCostModel machine = random.machine();
    if (machine.ranks() < 2) continue;
    const auto bytes = static_cast<std::size_t>(random.between(8, 1e6));
    const Collective collective{.operation = Operation::allreduce, .count = bytes};
    const Call call{collective, machine};
    Evaluator evaluator(call, 1e6);
    const Forest forest = random.forest(call.ranks(), bytes);
    Pipelining pipelining;
    pipelining.segment_bytes = 1 + bytes / static_cast<std::size_t>(1 + random.below(8));
    const double of_trees = evaluator.seconds(forest, pipelining);
    EXPECT_LE(evaluator.least_seconds(forest), rounding * of_trees) << run;
    EXPECT_LE(evaluator.least_seconds(forest, pipelining), rounding * of_trees) << run;
    const int blocks = 1 + random.below(6);
    const Conditions conditions =
        in_pieces(Conditions::allreduce(call.ranks(), bytes), static_cast<std::size_t>(blocks), 1);
    const Rounds rounds = random.rounds(call.ranks(), blocks);
    const double of_rounds = evaluator.seconds(rounds, conditions, pipelining);
    const double least = evaluator.least_seconds(rounds, conditions, pipelining);
    EXPECT_LE(least, rounding * of_rounds) << run;
    EXPECT_LE(evaluator.least_seconds(rounds, conditions), rounding * least) << run;
  }
}

// What long pipelines take is told by their beginning.
TEST(Evaluator, OfTheBeginningTellsTheWhole) {
  Random random;
  std::vector<double> off;
  for (int run = 0; run < 100; ++run) {
    const GroupCostModel machine = random.machine();
    if (machine.ranks() < 2) continue;
    const std::size_t bytes = 4 << 20;
    const Collective collective{.operation = Operation::allreduce, .count = bytes};
    const Call call{collective, machine};
    const Forest forest = random.forest(call.ranks(), bytes);
    Pipelining pipelining;
    pipelining.segment_bytes = 16 << 10;
    const double whole = Evaluator(call, 1e6).seconds(forest, pipelining);
    off.push_back(std::abs(Evaluator(call, 6000).seconds(forest, pipelining) / whole - 1));
  }
  std::ranges::sort(off);
  EXPECT_LT(off[off.size() / 2], 0.01);
  EXPECT_LT(off[off.size() * 9 / 10], 0.05);
}

// What many long chains take is told by their edges near the roots.
TEST(Evaluator, OfShortChainsTellsTheWhole) {
  constexpr Flow flows[] = {Flow::multicast, Flow::combine, Flow::combine_then_multicast};
  Random random;
  std::vector<double> off;
  for (int run = 0; run < 12; ++run) {
    const GroupCostModel machine = random.machine(20);
    const int ranks = machine.ranks();
    const std::size_t block = 10'000;
    const Collective collective{.operation = Operation::allreduce,
                                .count = block * static_cast<std::size_t>(ranks)};
    const Call call{collective, machine};
    Forest forest{ranks, flows[run % 3]};
    for (int root = 0; root < ranks; ++root) {
      Tree& tree = forest.trees.emplace_back(Tree{.slice = {0, block}, .root = root});
      for (int i = 0; i + 1 < ranks; ++i)
        tree.edges.push_back({(root + i) % ranks, (root + i + 1) % ranks});
    }
    Pipelining pipelining;
    pipelining.segment_bytes = block;
    const double whole = Evaluator(call, 1e6).seconds(forest, pipelining);
    off.push_back(std::abs(Evaluator(call, 200).seconds(forest, pipelining) / whole - 1));
  }
  std::ranges::sort(off);
  EXPECT_LT(off[off.size() / 2], 0.02);
  EXPECT_LT(off[off.size() * 9 / 10], 0.1);
}

// What rounds of many messages take is told by a shorter call.
TEST(Evaluator, OfAShorterCallTellsTheWhole) {
  Random random;
  std::vector<double> off;
  for (int run = 0; run < 30; ++run) {
    const GroupCostModel machine = random.machine();
    if (machine.ranks() < 2) continue;
    const std::size_t bytes = 16 << 20;
    const Collective collective{.operation = Operation::allreduce, .count = bytes};
    const Call call{collective, machine};
    const int blocks = 60;
    const Conditions conditions = in_pieces(Conditions::allreduce(call.ranks(), bytes), blocks, 1);
    Rounds rounds = random.rounds(call.ranks(), blocks);
    rounds.packed = false;
    Pipelining pipelining;
    pipelining.segment_bytes = bytes / blocks;
    const double whole = Evaluator(call, 1e6).seconds(rounds, conditions, pipelining);
    off.push_back(std::abs(Evaluator(call, 5).seconds(rounds, conditions, pipelining) / whole - 1));
  }
  std::ranges::sort(off);
  EXPECT_LT(off[off.size() / 2], 0.05);
  EXPECT_LT(off[off.size() * 9 / 10], 0.25);
}

}  // namespace evaluator_test
}  // namespace cuboid::detail
