// Broadcasts and reduces by scatter and all-gather, whatever would be chosen.

#include "collectives/butterflies/scatter_allgather.hpp"

#include <cuboid/error.hpp>

#include "collectives/butterflies/colour_pieces.hpp"
#include "collectives/schedules/checker.hpp"
#include "collectives/schedules/parts.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace scatter_allgather_test {

constexpr std::size_t element_bytes = 4;

Conditions conditions_of(const Pieces& pieces, int ranks, const RootedTask& task) {
  const auto root = static_cast<int>(task.root);
  const Conditions whole = task.flow == Flow::multicast ? Conditions::broadcast(ranks, 0, root)
                                                        : Conditions::reduce(ranks, 0, root);
  Conditions conditions{ranks, {}};
  for (std::size_t number = 0; number < pieces.size(); ++number) {
    const Block block = whole.blocks.front();
    conditions.blocks.push_back({pieces[number].slice, block.before, block.after});
  }
  return conditions;
}

// By sender and receiver: only the order of those between the same two ranks matters.
Rounds sorted(Rounds rounds) {
  const auto ends = [](const Exchange& one) { return std::pair(one.sender, one.receiver); };
  for (auto& round : rounds.rounds) std::ranges::stable_sort(round, {}, ends);
  return rounds;
}

// All ranks' rounds do what they have to, and one rank's are its part of them.
void expect_right(const Shape& shape, const std::vector<ScatterAllgather>& colours,
                  const RootedTask& task, std::size_t bytes) {
  const auto rank_of_node = [](NodeIndex node) { return static_cast<int>(node); };
  const auto ranks = static_cast<int>(shape.nodes());
  const std::string what = shape.to_string() + ", root " + std::to_string(task.root) + ", " +
                           std::to_string(task.scatter_steps) + " steps scatter";
  const Rounds rounds = scatter_allgather_rounds(shape, colours, task, rank_of_node);
  const auto pieces = colour_pieces(colours, task.scatter_steps, bytes, element_bytes);
  EXPECT_NO_THROW(check(rounds, conditions_of(pieces, ranks, task))) << what;
  for (int rank = 0; rank < ranks; ++rank) {
    const Rounds part = scatter_allgather_rounds(shape, colours, task, rank_of_node, rank);
    EXPECT_TRUE(sorted(part).rounds == sorted(part_of(rounds, rank)).rounds)
        << what << ", rank " << rank;
  }
}

TEST(ScatterAllgather, IsABroadcastOrAReduceForEveryRoot) {
  for (const char* spec :
       {"torus:2", "torus:5", "mesh:7", "torus:4x4", "torus:3x5", "mesh:3x5", "torus:7,mesh:3",
        "torus:4x1x3", "torus:2x3x4", "torus:11", "torus:8", "torus:13", "mesh:8"}) {
    const Shape shape = parse_shape(spec).shape;
    for (const int parts : {2, 3, 4, 5}) {
      for (NodeIndex root = 0; root < shape.nodes(); ++root) {
        const auto colours = scatter_allgathers(shape, parts, root);
        int most = colours.front().length();
        for (const ScatterAllgather& colour : colours)
          most = std::min(most, colour.most_scatter_steps());
        for (const int scatter_steps : {0, most / 2, most}) {
          for (const Flow flow : {Flow::multicast, Flow::combine})
            expect_right(shape, colours, {flow, root, scatter_steps}, 84);
        }
      }
    }
  }
}

// Nobody is sent what it has: all but the root receive the message once.
TEST(ScatterAllgather, BringsTheMessageOnceToEveryNode) {
  const Shape shape = parse_shape("torus:5x6").shape;
  const RootedTask task{Flow::multicast, 7, 2};
  const auto colours = scatter_allgathers(shape, 2, task.root);
  const Rounds rounds = scatter_allgather_rounds(shape, colours, task,
                                                 [](NodeIndex on) { return static_cast<int>(on); });
  std::vector<std::size_t> received(static_cast<std::size_t>(shape.nodes()), 0);
  for (const auto& round : rounds.rounds) {
    for (const Exchange& exchange : round)
      received[static_cast<std::size_t>(exchange.receiver)] += exchange.blocks.size();
  }
  const std::size_t pieces = colour_pieces(colours, task.scatter_steps, 96, 1).size();
  for (std::size_t node = 0; node < received.size(); ++node)
    EXPECT_EQ(received[node], node == 7 ? 0 : pieces) << node;
}

// A root of a ring is as good as any other.
TEST(ScatterAllgather, IsTurnedWithTheRoot) {
  const Shape shape = parse_shape("torus:7").shape;
  const auto of_first = scatter_allgathers(shape, 3, 0);
  const auto of_third = scatter_allgathers(shape, 3, 2);
  for (int s = 0; s < of_first.front().length(); ++s) {
    for (int position = 0; position < 7; ++position) {
      const PartStep& step = of_first.front().step(s);
      const PartStep& turned = of_third.front().step(s);
      const int there = (position + 2) % 7;
      EXPECT_EQ(step.kept_by(position), turned.kept_by(there));
      for (int part = 0; part < step.parts; ++part) {
        const int source = step.source_of(position, part);
        EXPECT_EQ(source < 0 ? -1 : (source + 2) % 7, turned.source_of(there, part));
      }
    }
  }
}

}  // namespace scatter_allgather_test
}  // namespace cuboid::detail
