#include "collectives/algorithms/families.hpp"
#include "collectives/algorithms/round_seconds.hpp"
#include "collectives/rounds/bruck.hpp"
#include "collectives/rounds/dissemination.hpp"
#include "collectives/rounds/pieces.hpp"
#include "collectives/schedules/distances.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace cuboid::detail {

namespace {

bool numbered_in_order(const GroupNodes& group, int slots) {
  int next = 0;
  for (const std::vector<int>& ranks : group.ranks_of_node) {
    if (static_cast<int>(ranks.size()) != slots) return false;
    for (const int rank : ranks) {
      if (rank != next++) return false;
    }
  }
  return true;
}

// The shape that numbers the ranks: that of the nodes and, if each has several ranks, a further
// axis. Along one axis alone these rounds are those of a ring of ranks.
std::optional<Shape> shape_of_ranks(const Call& call) {
  const GroupNodes& group = call.cost_model.nodes;
  const int slots = call.most_on_a_node();
  if (!group.shape || !numbered_in_order(group, slots)) return std::nullopt;
  std::vector<Axis> axes(group.shape->axes().begin(), group.shape->axes().end());
  axes.push_back({slots, true});
  std::erase_if(axes, [](const Axis& axis) { return axis.extent == 1; });
  if (axes.size() < 2) return std::nullopt;
  return Shape(std::move(axes));
}

double rounds_along(const Shape& shape) {
  double rounds = 0;
  for (const Axis& axis : shape.axes())
    rounds += std::bit_width(static_cast<unsigned>(axis.extent - 1));
  return rounds;
}

// All ranks send so many bytes so far along an axis.
double shift_along(const Call& call, const Shape& shape, int axis, int distance, double bytes) {
  return round_seconds(call, bytes,
                       {.count = call.ranks(), .message = [&](int rank) -> RoundMessage {
                          return {rank, static_cast<int>(node_above(shape, axis, rank, distance))};
                        }});
}

std::optional<CostEstimate> price_torus_dissemination(const Call& call) {
  const auto shape = shape_of_ranks(call);
  if (!shape) return std::nullopt;
  const double block = static_cast<double>(call.bytes()) / call.ranks();
  double seconds = 0;
  for (int axis = 0; axis < shape->dimensions(); ++axis) {
    const int extent = shape->extent(axis);
    const double bundle = block * static_cast<double>(shape->stride(axis));
    for (int distance = 1; distance < extent; distance *= 2)
      seconds +=
          shift_along(call, *shape, axis, distance, bundle * std::min(distance, extent - distance));
  }
  const double others = block * (call.ranks() - 1);
  const bool combines = call.operation() == Operation::reduce_scatter;
  return estimate_rounds(call, seconds,
                         {.rounds = rounds_along(*shape),
                          .bytes = others,
                          .combined = combines ? others : 0,
                          .copied = combines ? others : 0,
                          .scratch = combines ? 2 * others : 0});
}

Rounds torus_dissemination(const Call& call, std::optional<int> only) {
  const Shape shape = shape_of_ranks(call).value();
  return call.operation() == Operation::reduce_scatter ? dissemination_reduce_scatter(shape, only)
                                                       : dissemination_allgather(shape, only);
}

// As in bruck, but that in a round as many blocks go as have the digit in their distance along the
// axis.
std::optional<CostEstimate> price_torus_bruck(const Call& call) {
  const auto shape = shape_of_ranks(call);
  if (!shape || !call.collective.equal_blocks) return std::nullopt;
  const auto bytes = static_cast<double>(call.bytes());
  double seconds = 0;
  double sent = 0;
  for (int axis = 0; axis < shape->dimensions(); ++axis) {
    const int extent = shape->extent(axis);
    for (int distance = 1; distance < extent; distance *= 2) {
      int with_digit = 0;
      for (int steps = distance; steps < extent; ++steps) with_digit += (steps & distance) != 0;
      const double of_round = bytes * with_digit / extent;
      seconds += shift_along(call, *shape, axis, distance, of_round);
      sent += of_round;
    }
  }
  return estimate_rounds(call, seconds,
                         {.rounds = rounds_along(*shape),
                          .bytes = sent,
                          .copied = 2 * sent + 2 * bytes,
                          .scratch = 2 * sent + bytes,
                          .packed = true});
}

}  // namespace

std::vector<Algorithm> torus_rounds_algorithms() {
  return {
      {"torus_dissemination",
       "rounds at distances 1, 2, 4, … along one axis of a torus after the other",
       {Operation::allgather, Operation::reduce_scatter},
       false,
       price_torus_dissemination,
       [](const Call& call, const Conditions&, const Settings&) -> ForestOrRounds {
         return torus_dissemination(call, {});
       },
       [](const Call& call, const Conditions&, const Settings&, int rank) -> RankPart {
         return torus_dissemination(call, rank);
       }},
      {"torus_bruck",
       "rounds at distances 1, 2, 4, … along the axes of a torus, several blocks per message",
       {Operation::alltoall},
       true,
       price_torus_bruck,
       [](const Call& call, const Conditions&, const Settings&) -> ForestOrRounds {
         return bruck_alltoall(shape_of_ranks(call).value());
       },
       [](const Call& call, const Conditions&, const Settings&, int rank) -> RankPart {
         return bruck_alltoall(shape_of_ranks(call).value(), rank);
       },
       nullptr,
       [](const Call& call) { return shape_of_ranks(call).value(); }},
  };
}

}  // namespace cuboid::detail
