#include "collectives/algorithms/families.hpp"
#include "collectives/algorithms/round_seconds.hpp"
#include "collectives/rounds/bruck.hpp"
#include "collectives/rounds/dissemination.hpp"
#include "collectives/rounds/pieces.hpp"
#include "collectives/rounds/recursive_doubling.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace cuboid::detail {

namespace {

int one_piece_per_rank(const Call& call) {
  return call.ranks();
}

double log2_up(int ranks) {
  return std::bit_width(static_cast<unsigned>(ranks - 1));
}

// The part of a message that a rank does not have already.
double others(const Call& call) {
  return (call.ranks() - 1.0) / call.ranks() * static_cast<double>(call.bytes());
}

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

// As many blocks of p as a rank has go to the one at each distance, or all that are missing: in two
// messages, if they are those of the last positions and of the first ones.
std::optional<CostEstimate> price_dissemination_along(const Call& call, const Shape& shape) {
  const bool is_barrier = call.operation() == Operation::barrier;
  const double block = is_barrier ? 0 : static_cast<double>(call.bytes()) / call.ranks();
  double seconds = 0;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    const int extent = shape.extent(axis);
    const double bundle = block * static_cast<double>(shape.stride(axis));
    for (int distance = 1; distance < extent; distance *= 2) {
      const int positions = std::min(distance, extent - distance);
      seconds += shift_along(call, shape, axis, distance, bundle * positions);
      if (positions > 1 && block > 0) seconds += call.cost_model.network_overhead;
    }
  }
  if (is_barrier) return estimate_rounds(call, seconds, {rounds_along(shape)});
  const bool combines = call.operation() == Operation::reduce_scatter;
  return estimate_rounds(call, seconds,
                         {.rounds = rounds_along(shape),
                          .bytes = others(call),
                          .combined = combines ? others(call) : 0,
                          .copied = combines ? others(call) : 0,
                          .scratch = combines ? 2 * others(call) : 0});
}

std::optional<CostEstimate> price_dissemination(const Call& call) {
  return price_dissemination_along(call, ring_of(call.ranks()));
}

std::optional<CostEstimate> price_torus_dissemination(const Call& call) {
  const auto shape = shape_of_ranks(call);
  return shape ? price_dissemination_along(call, *shape) : std::nullopt;
}

Rounds dissemination(const Call& call, const Shape& shape, std::optional<int> only) {
  switch (call.operation()) {
    case Operation::barrier: return dissemination_barrier(call.ranks(), only);
    case Operation::reduce_scatter: return dissemination_reduce_scatter(shape, only);
    default: return dissemination_allgather(shape, only);
  }
}

// Ranks beyond the greatest power of two contribute in a further first round, and get the result in
// a further last one.
double recursive_doubling_round_seconds(const Call& call) {
  const auto bytes = static_cast<double>(call.bytes());
  const int doubling = static_cast<int>(std::bit_floor(static_cast<unsigned>(call.ranks())));
  const int folded = call.ranks() - doubling;
  const auto rank_of = [&](int index) { return index < folded ? 2 * index + 1 : index + folded; };
  double seconds = 0;
  if (folded > 0)
    seconds +=
        2 * round_seconds(call, bytes, {.count = folded, .message = [](int pair) -> RoundMessage {
                                          return {2 * pair, 2 * pair + 1};
                                        }});
  // Those below and above a border meet there, and leave other borders alone.
  constexpr double only_some_borders = 2;
  for (int distance = 1; distance < doubling; distance *= 2) {
    seconds += round_seconds(call, bytes,
                             {.count = doubling,
                              .message = [&](int index) -> RoundMessage {
                                return {rank_of(index), rank_of(index ^ distance)};
                              },
                              .unevenness = only_some_borders});
  }
  return seconds;
}

std::optional<CostEstimate> price_recursive_doubling(const Call& call) {
  const bool power_of_two = std::has_single_bit(static_cast<unsigned>(call.ranks()));
  const double rounds = log2_up(call.ranks()) + (power_of_two ? 0 : 1);
  const double received = rounds * static_cast<double>(call.bytes());
  return estimate_rounds(
      call, recursive_doubling_round_seconds(call),
      {.rounds = rounds, .bytes = received, .combined = received, .scratch = received});
}

// Every rank sends to the one 2^t ranks up in round t: as many pieces as it has, or all that are
// missing.
double dissemination_seconds(const Call& call) {
  const int ranks = call.ranks();
  const double block = static_cast<double>(call.bytes()) / ranks;
  double seconds = 0;
  for (int distance = 1; distance < ranks; distance *= 2) {
    seconds += shift_seconds(call, std::min(distance, ranks - distance) * block, distance);
  }
  return seconds;
}

std::optional<CostEstimate> price_pieces(const Call& call) {
  if (call.ranks() > most_ranks_of_pieces) return std::nullopt;
  const double rounds = log2_up(call.ranks());
  const double combined = call.operation() == Operation::allreduce ? others(call) : 0;
  // What one rank has is scattered by halves: at every step twice as many ranks take in half as
  // much each.
  const double halves = rounds * static_cast<double>(call.bytes()) / (2 * call.ranks());
  const double first = combined > 0 ? others(call) : halves;
  return estimate_rounds(call, 2 * dissemination_seconds(call),
                         {.rounds = 2 * rounds,
                          .bytes = first + others(call),
                          .combined = combined,
                          .scratch = combined,
                          .path_bytes = 2 * others(call)});
}

// Blocks are put in the order of their distances, packed and unpacked in every round, and at last
// copied to their places. In a round as many go as have the digit in their distance.
std::optional<CostEstimate> price_bruck_along(const Call& call, const Shape& shape) {
  if (!call.collective.equal_blocks) return std::nullopt;
  const auto bytes = static_cast<double>(call.bytes());
  double seconds = 0;
  double sent = 0;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    const int extent = shape.extent(axis);
    for (int distance = 1; distance < extent; distance *= 2) {
      const int period = 2 * distance;
      const int with_digit = extent / period * distance + std::max(extent % period - distance, 0);
      const double of_round = bytes * with_digit / extent;
      seconds += shift_along(call, shape, axis, distance, of_round);
      sent += of_round;
    }
  }
  return estimate_rounds(call, seconds,
                         {.rounds = rounds_along(shape),
                          .bytes = sent,
                          .copied = 2 * sent + 2 * bytes,
                          .scratch = 2 * sent + bytes,
                          .packed = true});
}

std::optional<CostEstimate> price_bruck(const Call& call) {
  return price_bruck_along(call, ring_of(call.ranks()));
}

std::optional<CostEstimate> price_torus_bruck(const Call& call) {
  const auto shape = shape_of_ranks(call);
  return shape ? price_bruck_along(call, *shape) : std::nullopt;
}

}  // namespace

std::vector<Algorithm> rounds_algorithms() {
  return {
      {"torus_dissemination",
       "rounds at distances 1, 2, 4, … along one axis of a torus after the other",
       {Operation::allgather, Operation::reduce_scatter},
       false,
       price_torus_dissemination,
       [](const Call& call, const Conditions&, const Settings&) -> ForestOrRounds {
         return dissemination(call, shape_of_ranks(call).value(), {});
       },
       [](const Call& call, const Conditions&, const Settings&, int rank) -> RankPart {
         return dissemination(call, shape_of_ranks(call).value(), rank);
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
      {"dissemination",
       "rounds at distances 1, 2, 4, … (Bruck)",
       {Operation::barrier, Operation::allgather, Operation::reduce_scatter},
       false,
       price_dissemination,
       [](const Call& call, const Conditions&, const Settings&) -> ForestOrRounds {
         return dissemination(call, ring_of(call.ranks()), {});
       },
       [](const Call& call, const Conditions&, const Settings&, int rank) -> RankPart {
         return dissemination(call, ring_of(call.ranks()), rank);
       }},
      {"bruck",
       "rounds at distances 1, 2, 4, … with several blocks per message (Bruck)",
       {Operation::alltoall},
       true,
       price_bruck,
       [](const Call& call, const Conditions&, const Settings&) -> ForestOrRounds {
         return bruck_alltoall(ring_of(call.ranks()));
       },
       [](const Call& call, const Conditions&, const Settings&, int rank) -> RankPart {
         return bruck_alltoall(ring_of(call.ranks()), rank);
       },
       nullptr,
       [](const Call& call) { return ring_of(call.ranks()); }},
      {"recursive_doubling",
       "exchange of whole messages at distances 1, 2, 4, …",
       {Operation::allreduce},
       true,
       price_recursive_doubling,
       [](const Call& call, const Conditions&, const Settings&) -> ForestOrRounds {
         return recursive_doubling_allreduce(call.ranks());
       },
       [](const Call& call, const Conditions&, const Settings&, int rank) -> RankPart {
         return recursive_doubling_allreduce(call.ranks(), rank);
       }},
      {"halving_doubling",
       "reduce-scatter by recursive halving, all-gather by recursive doubling",
       {Operation::allreduce},
       false,
       price_pieces,
       [](const Call& call, const Conditions&, const Settings&) -> ForestOrRounds {
         return halving_doubling_allreduce(call.ranks());
       },
       [](const Call& call, const Conditions&, const Settings&, int rank) -> RankPart {
         return halving_doubling_allreduce(call.ranks(), rank);
       },
       equal_pieces<one_piece_per_rank>},
      {"van_de_geijn",
       "scatter by recursive halving, all-gather by recursive doubling",
       {Operation::broadcast},
       false,
       [](const Call& call) { return call.ranks() > 2 ? price_pieces(call) : std::nullopt; },
       [](const Call& call, const Conditions&, const Settings&) -> ForestOrRounds {
         return van_de_geijn_broadcast(call.ranks(), call.collective.root);
       },
       [](const Call& call, const Conditions&, const Settings&, int rank) -> RankPart {
         return van_de_geijn_broadcast(call.ranks(), call.collective.root, rank);
       },
       equal_pieces<one_piece_per_rank>},
  };
}

}  // namespace cuboid::detail
