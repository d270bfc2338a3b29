// Broadcasts and reduces by butterflies, whatever their price would take.

#include "collectives/rounds/swing.hpp"

#include <cuboid/error.hpp>

#include "collectives/schedules/checker.hpp"
#include "collectives/schedules/parts.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace {

constexpr std::size_t element_bytes = 4;

Conditions conditions_of(const std::vector<Piece>& pieces, int ranks, const ButterflyTask& task) {
  const auto root = static_cast<int>(task.root);
  const Conditions whole = task.flow == Flow::multicast ? Conditions::broadcast(ranks, 0, root)
                                                        : Conditions::reduce(ranks, 0, root);
  Conditions conditions{ranks, {}};
  for (const Piece& piece : pieces) {
    conditions.blocks.push_back(whole.blocks.front());
    conditions.blocks.back().slice = piece.slice;
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
void expect_right(const Shape& shape, const std::vector<Butterfly>& butterflies,
                  const ButterflyTask& task, std::size_t bytes) {
  const auto rank_of_node = [](NodeIndex node) { return static_cast<int>(node); };
  const auto ranks = static_cast<int>(shape.nodes());
  const std::string what = shape.to_string() + ", root " + std::to_string(task.root) + ", " +
                           std::to_string(task.scattering) + " steps scatter";
  const Rounds rounds = butterfly_rounds(shape, butterflies, task, rank_of_node);
  const auto pieces = butterfly_pieces(butterflies, task.scattering, bytes, element_bytes);
  EXPECT_NO_THROW(check(rounds, conditions_of(pieces, ranks, task))) << what;
  for (int rank = 0; rank < ranks; ++rank) {
    const Rounds part = butterfly_rounds(shape, butterflies, task, rank_of_node, rank);
    EXPECT_TRUE(sorted(part).rounds == sorted(part_of(rounds, rank)).rounds)
        << what << ", rank " << rank;
  }
}

std::vector<Folding> foldings() {
  std::vector<Folding> all{{}, {.first_of_four = true}, {.in_turns = true}, {.one_way = true}};
  for (const int digits : {1, 2, 3}) {
    for (const int during : {1, 2, 3}) all.push_back({digits, FoldTime::meanwhile, during});
  }
  return all;
}

TEST(ButterflyRounds, BroadcastAndReduceForEveryRoot) {
  for (const char* spec :
       {"torus:2", "torus:5", "mesh:7", "torus:4x4", "torus:3x5", "mesh:3x5", "torus:7,mesh:3",
        "torus:4x1x3", "torus:2x3x4", "torus:11", "torus:8", "torus:16"}) {
    const Shape shape = parse_shape(spec).shape;
    for (const Folding& folding : foldings()) {
      const auto butterflies = swing_butterflies(shape, folding);
      int least = 0, steps = 0;
      for (const Butterfly& butterfly : butterflies) {
        least = std::max(least, butterfly.least_scattering(false));
        steps = std::max(steps, butterfly.length());
      }
      for (const int scattering : {least, (least + steps) / 2, steps}) {
        for (NodeIndex root = 0; root < shape.nodes(); ++root) {
          for (const Flow flow : {Flow::multicast, Flow::combine})
            expect_right(shape, butterflies, {flow, root, scattering}, 84);
        }
      }
    }
  }
}

// Nobody is sent what it has: all but the root receive the message once.
TEST(ButterflyRounds, BroadcastTheMessageOnceToEveryNode) {
  const Shape shape = parse_shape("torus:4x6").shape;
  const auto butterflies = swing_butterflies(shape);
  const ButterflyTask task{Flow::multicast, 7, 2};
  const Rounds rounds =
      butterfly_rounds(shape, butterflies, task, [](NodeIndex on) { return static_cast<int>(on); });
  std::vector<std::size_t> received(static_cast<std::size_t>(shape.nodes()), 0);
  for (const auto& round : rounds.rounds) {
    for (const Exchange& exchange : round)
      received[static_cast<std::size_t>(exchange.receiver)] += exchange.blocks.size();
  }
  const std::size_t pieces = butterfly_pieces(butterflies, task.scattering, 96, 1).size();
  for (std::size_t node = 0; node < received.size(); ++node)
    EXPECT_EQ(received[node], node == 7 ? 0 : pieces) << node;
}

}  // namespace
}  // namespace cuboid::detail
