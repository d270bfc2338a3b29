#include "collectives/rounds/dissemination.hpp"

#include "collectives/algorithms/families.hpp"
#include "collectives/evaluation/shape_of_ranks.hpp"
#include "collectives/evaluation/symmetric_rounds.hpp"
#include "collectives/rounds/pieces.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

namespace {

// True if `later` carries blocks that `earlier` brought.
bool passes_on(const BoxMessage& later, const BoxMessage& earlier) {
  for (std::size_t axis = 0; axis < later.counts.size(); ++axis) {
    const int from = earlier.distances[axis];
    const int stride = later.strides[axis];
    if (from % stride != 0 || from / stride >= later.counts[axis]) return false;
  }
  return true;
}

// Converts distances downwards to distances upwards, by axis.
std::vector<int> upwards(const Shape& shape, const std::vector<int>& down) {
  std::vector<int> up = down;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    int& distance = up[static_cast<std::size_t>(axis)];
    if (distance > 0) distance = shape.extent(axis) - distance;
  }
  return up;
}

double product(std::span<const int> extents) {
  return std::accumulate(extents.begin(), extents.end(), 1.0, std::multiplies());
}

// The rounds of an all-gather; a reduce-scatter has the same rounds in reverse. On a ring blocks
// are not packed: the blocks of the last and of the first ranks go in a message each. So ranks do
// not all do the same, and gain little by sending parts before a round has ended.
SymmetricRounds dissemination_rounds(const Call& call, const Shape& shape) {
  const double block = static_cast<double>(call.bytes()) / call.ranks();
  const bool is_ring = shape.dimensions() == 1;
  SymmetricRounds rounds(call, shape, Packed{!is_ring});
  std::vector<BoxMessage> sent;
  for (const BoxMessage& message : dissemination_messages(shape)) {
    rounds.begin_round();
    std::vector<std::size_t> after;
    for (std::size_t earlier = 0; earlier < sent.size(); ++earlier) {
      if (is_ring || passes_on(message, sent[earlier])) after.push_back(earlier);
    }
    const double blocks = product(message.counts);
    const int parts = is_ring && blocks > 1 ? 2 : 1;
    for (int part = 0; part < parts; ++part) {
      rounds.add(upwards(shape, message.distances), block * blocks / parts, after);
      sent.push_back(message);
    }
  }
  if (call.operation() == Operation::reduce_scatter) rounds.reverse(call.cost_model.node.beta);
  return rounds;
}

// Each round begins when the one before has ended.
SymmetricRounds barrier_rounds(const Call& call) {
  SymmetricRounds rounds(call, ring_of(call.ranks()), Packed::no);
  std::vector<std::size_t> before;
  for (int distance = 1; distance < call.ranks(); distance *= 2) {
    rounds.begin_round();
    rounds.add(std::span(&distance, 1), 0, before);
    before = {before.empty() ? 0 : before.front() + 1};
  }
  return rounds;
}

Rounds dissemination(const Call& call, const Shape& shape, std::optional<int> only) {
  switch (call.operation()) {
    case Operation::barrier: return dissemination_barrier(call.ranks(), only);
    case Operation::reduce_scatter: return dissemination_reduce_scatter(shape, only);
    default: return dissemination_allgather(shape, only);
  }
}

}  // namespace

std::vector<Algorithm> dissemination_algorithms() {
  return {
      {"torus_dissemination",
       "rounds at distances …, 4, 2, 1 along all axes of a torus in turns",
       {Operation::allgather, Operation::reduce_scatter},
       false,
       [](const Call& call) {
         return axes_of_ranks(call) ? of_rounds(call) : std::vector<Settings>{};
       },
       [](const Call& call, const Conditions&, const Settings&) -> ForestOrRounds {
         return dissemination(call, shape_of_ranks(call).value(), {});
       },
       [](const Call& call, const Conditions&, const Settings&, int rank) -> RankPart {
         return dissemination(call, shape_of_ranks(call).value(), rank);
       },
       nullptr,
       nullptr,
       [](const Call& call, const Settings&) -> std::optional<SymmetricRounds> {
         return dissemination_rounds(call, axes_of_ranks(call).value());
       }},
      {"dissemination",
       "rounds at distances 1, 2, 4, … (Bruck)",
       {Operation::barrier, Operation::allgather, Operation::reduce_scatter},
       false,
       of_rounds,
       [](const Call& call, const Conditions&, const Settings&) -> ForestOrRounds {
         return dissemination(call, ring_of(call.ranks()), {});
       },
       [](const Call& call, const Conditions&, const Settings&, int rank) -> RankPart {
         return dissemination(call, ring_of(call.ranks()), rank);
       },
       nullptr,
       nullptr,
       [](const Call& call, const Settings&) -> std::optional<SymmetricRounds> {
         if (call.operation() == Operation::barrier) return barrier_rounds(call);
         return dissemination_rounds(call, ring_of(call.ranks()));
       }},
  };
}

}  // namespace cuboid::detail
