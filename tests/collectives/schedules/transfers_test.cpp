#include "collectives/schedules/transfers.hpp"

#include "collectives/forests/rectangular.hpp"
#include "collectives/forests/trees.hpp"
#include "collectives/rounds/dissemination.hpp"
#include "collectives/rounds/tree_rounds.hpp"
#include "models/messages/torus_costs.hpp"
#include "models/simulator/simulator.hpp"
#include "tests/collectives/schedules/schedules.hpp"

#include <array>
#include <map>
#include <variant>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace transfers_test {

constexpr std::size_t element = 4;
constexpr LogGP bytes_only{.byte_gap = 1e-8};

Platform clique(int ranks) {
  Network network;
  for (int node = 0; node < ranks; ++node) {
    network.add_node(std::to_string(node));
    for (int other = 0; other < node; ++other) network.add_cable(other, node);
  }
  return Platform::one_rank_per_node(Routes::shortest(std::move(network)), bytes_only);
}

Transfers transfers_of(const NamedSchedule& schedule, const Pipelining& pipelining) {
  Transfers transfers(schedule.conditions.ranks);
  if (const auto* forest = std::get_if<Forest>(&schedule.how)) {
    transfers.add(*forest, pipelining);
  } else {
    transfers.add(std::get<Rounds>(schedule.how), schedule.conditions, pipelining);
  }
  return transfers;
}

using Bytes = std::map<std::pair<int, int>, std::size_t>;  // sent from rank to rank

// What the engine would send: that the two readers of a schedule agree.
Bytes compiled(const NamedSchedule& schedule, const Pipelining& pipelining, std::size_t& messages) {
  Bytes sent;
  const Conditions& conditions = schedule.conditions;
  Placing placing;
  for (const Block& block : conditions.blocks) {
    placing.before.emplace_back(Address{Area::input, block.slice.offset});
    placing.after.emplace_back(Address{Area::output, block.slice.offset});
  }
  for (int rank = 0; rank < conditions.ranks; ++rank) {
    const Schedule own =
        std::holds_alternative<Forest>(schedule.how)
            ? compile(part_of(std::get<Forest>(schedule.how), rank), conditions, placing, rank,
                      pipelining)
            : compile(std::get<Rounds>(schedule.how), conditions, placing, rank, pipelining);
    for (const Step& step : own.steps) {
      if (step.kind != Step::Kind::send) continue;
      sent[{rank, step.peer}] += step.bytes;
      ++messages;
    }
  }
  return sent;
}

TEST(Transfers, AreWhatTheEngineSends) {
  const Pipelining pipelining{.segment_bytes = 8 * element};
  for (const int ranks : {1, 2, 3, 5, 8}) {
    auto schedules = moving_schedules(ranks, ranks / 2, 50, element);
    for (auto& schedule : combining_schedules(ranks, ranks / 2, 50, element))
      schedules.push_back(std::move(schedule));
    for (const NamedSchedule& schedule : schedules) {
      std::size_t messages = 0;
      const Bytes expected = compiled(schedule, pipelining, messages);
      const Transfers transfers = transfers_of(schedule, pipelining);
      Bytes sent;
      std::size_t sends = 0;
      for (const Transfer& transfer : transfers.graph().transfers()) {
        if (transfer.from == transfer.to) continue;  // where earlier rounds meet
        sent[{transfer.from, transfer.to}] += static_cast<std::size_t>(transfer.bytes);
        ++sends;
      }
      EXPECT_EQ(sent, expected) << schedule.name << ", " << ranks << " ranks";
      EXPECT_EQ(sends, messages) << schedule.name << ", " << ranks << " ranks";
      const SimulatedRun run = simulate(transfers.graph(), clique(ranks));
      for (std::size_t id = 0; id < transfers.graph().size(); ++id)
        EXPECT_TRUE(run.transfers[id].done > 0 || transfers.graph().transfers()[id].bytes == 0);
    }
  }
}

TEST(Transfers, OfAPipelinedChainTakeTheClosedForm) {
  Forest forest{.ranks = 6};
  forest.trees.push_back({.slice = {0, 1 << 20}, .edges = chain(6, 0)});
  Transfers transfers(6);
  transfers.add(forest, {.segment_bytes = 1 << 14});
  EXPECT_NEAR(simulate(transfers.graph(), clique(6)).seconds, (5 + 64 - 1) * (1 << 14) * 1e-8,
              1e-9);
}

// With one message in flight per edge, the next leaves once the other end has it.
TEST(Transfers, WaitForTheirEdgesWindow) {
  constexpr std::size_t segments = 20;
  constexpr std::size_t segment = 1000;
  Forest forest{.ranks = 4};
  forest.trees.push_back({.slice = {0, segments * segment}, .edges = chain(4, 0)});
  Platform platform = clique(4);
  platform.between_nodes.latency = 1;
  const double each = 1 + static_cast<double>(segment) * bytes_only.byte_gap;
  for (const Flow flow : {Flow::multicast, Flow::combine}) {
    forest.flow = flow;
    Transfers transfers(4);
    transfers.add(forest, {.segment_bytes = segment, .segments_in_flight = 1});
    EXPECT_NEAR(simulate(transfers.graph(), platform).seconds, (3 - 1 + segments) * each, 1e-9);
  }
}

Forest colours_of(const Shape& shape, std::size_t bytes) {
  const auto trees = rectangular_trees(shape, 0);
  Forest forest{.ranks = static_cast<int>(shape.nodes())};
  const std::size_t slice = bytes / trees.size();
  for (std::size_t tree = 0; tree < trees.size(); ++tree)
    forest.trees.push_back({.slice = {tree * slice, slice},
                            .edges = trees[tree],
                            .channel = static_cast<std::uint32_t>(tree)});
  return forest;
}

// Solomonik et al. 2011, eq 6, which lets packets be short, the message long, and processors keep
// up.
TEST(Transfers, OfRectangularTreesTakeWhatTheFormulaOfThePaperSays) {
  constexpr LogGP blue_gene{.latency = 0.8e-6,
                            .send_overhead = 0.4e-6,
                            .receive_overhead = 0.4e-6,
                            .gap = 0,
                            .byte_gap = 1 / 375e6};
  for (const Shape& shape : {Shape::torus(std::array{8}), Shape::torus(std::array{8, 8}),
                             Shape::torus(std::array{4, 4, 4})}) {
    const std::size_t bytes = std::size_t{64} << 20;
    Transfers transfers(static_cast<int>(shape.nodes()));
    transfers.add(colours_of(shape, bytes), {.segment_bytes = 16 << 10});
    const double simulated =
        simulate(transfers.graph(),
                 Platform::one_rank_per_node(Routes::dimension_ordered(shape), blue_gene))
            .seconds;
    const double formula =
        rectangular_multicast_seconds(blue_gene, partition(shape), static_cast<double>(bytes));
    EXPECT_NEAR(simulated / formula, 1, 0.03) << shape.to_string();
  }
}

TEST(Transfers, OfOneCollectiveWaitForTheOneBefore) {
  Forest forest{.ranks = 3};
  forest.trees.push_back({.slice = {0, 1000}, .edges = chain(3, 0)});
  Transfers transfers(3);
  transfers.add(forest, {});
  const double once = simulate(transfers.graph(), clique(3)).seconds;
  transfers.add(forest, {});
  // Rank 0 begins again when it has sent, rank 1 when it has handed on.
  EXPECT_NEAR(simulate(transfers.graph(), clique(3)).seconds, 1.5 * once, 1e-12);
}

TEST(Transfers, OfABarrierTakeARoundTripPerRound) {
  Transfers transfers(8);
  transfers.add(dissemination_barrier(8), {8, {}}, {});
  Platform platform = clique(8);
  platform.between_nodes.latency = 1;
  EXPECT_NEAR(simulate(transfers.graph(), platform).seconds, 3, 1e-9);
}

// Rank 4 hears of rank 5 in the first round, has no part in the second and passes it on in the
// third.
TEST(Transfers, OfABarrierWaitForEarlierRoundsThanTheLast) {
  Forest before{.ranks = 6};
  before.trees.push_back({.slice = {0, 1000}, .root = 3, .edges = {{3, 5}}});
  Platform platform = clique(6);
  platform.between_nodes.latency = 1;
  Transfers transfers(6);
  transfers.add(before, {});
  const double late = simulate(transfers.graph(), platform).seconds;
  transfers.add(tree_barrier(6, 2), {6, {}}, {});
  EXPECT_NEAR(simulate(transfers.graph(), platform).seconds, late + 2 + 2, 1e-9);
}

// Rank 0 hears of rank 1 late, in the first round, of rank 2 in the second, and then sends what it
// had from the beginning.
TEST(Transfers, LockstepWaitForTheLastRoundOrForAllOfThem) {
  constexpr std::size_t late = 1000, early = 100;
  Conditions conditions{3, {}};
  for (const Slice slice : {Slice{0, late}, Slice{late, early}, Slice{late + early, early}})
    conditions.blocks.push_back({.slice = slice, .before = {}, .after = {}});
  Rounds rounds{.ranks = 3, .rounds = {{{1, 0, {0}}}, {{2, 0, {1}}}, {{0, 2, {2}}}}};
  const auto seconds = [&] {
    Transfers transfers(3);
    transfers.add(rounds, conditions, {});
    return simulate(transfers.graph(), clique(3)).transfers[2].ready / bytes_only.byte_gap;
  };
  EXPECT_NEAR(seconds(), 0, 1e-9);
  rounds.lockstep = true;
  EXPECT_NEAR(seconds(), early, 1e-6);
  rounds.after_all = true;
  Transfers transfers(3);
  transfers.add(rounds, conditions, {});
  EXPECT_NEAR(simulate(transfers.graph(), clique(3)).seconds / bytes_only.byte_gap, late + early,
              1e-6);
}

}  // namespace transfers_test
}  // namespace cuboid::detail
