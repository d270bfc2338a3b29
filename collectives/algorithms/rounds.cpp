#include "collectives/algorithms/families.hpp"
#include "collectives/algorithms/round_seconds.hpp"
#include "collectives/rounds/bruck.hpp"
#include "collectives/rounds/dissemination.hpp"
#include "collectives/rounds/pieces.hpp"
#include "collectives/rounds/recursive_doubling.hpp"
#include "collectives/rounds/shape_numbers.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

// Of messages that all ranks send alike, each of a rank's is followed; and if it takes links of a
// network in another order than its axes', some ranks' besides.
constexpr int most_messages_along_axes = 600;
constexpr int most_messages_elsewhere = 48;

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

// What all ranks do in rounds along the axes of a shape that numbers them, message by message.
class CommonRounds {
 public:
  /// @param packed  messages are packed and unpacked.
  CommonRounds(const Call& call, const Shape& shape, bool packed)
      : links_(call, shape), copy_seconds_per_byte_(packed ? 2 * call.cost_model.node.beta : 0) {}

  void begin_round() { first_of_round_.push_back(messages_.size()); }

  /// @param after  messages of earlier rounds, by number.
  void add(std::span<const int> distances, double bytes, std::vector<std::size_t> after) {
    messages_.push_back(links_.message(distances, bytes));
    messages_.back().after = std::move(after);
    messages_.back().receive_seconds += copy_seconds_per_byte_ * bytes;
    bytes_ += bytes;
  }

  /// The last round first, with its messages in the same order; each is combined with what its
  /// receiver has.
  void reverse(double combine_seconds_per_byte) {
    std::vector<std::size_t> order;
    for (std::size_t round = first_of_round_.size(), end = messages_.size(); round-- > 0;) {
      for (std::size_t old = first_of_round_[round]; old < end; ++old) order.push_back(old);
      end = first_of_round_[round];
    }
    std::vector<std::size_t> number(order.size());
    for (std::size_t now = 0; now < order.size(); ++now) number[order[now]] = now;
    std::vector<CommonMessage> reversed;
    for (const std::size_t old : order) {
      reversed.push_back(messages_[old]);
      reversed.back().after.clear();
      reversed.back().receive_seconds += combine_seconds_per_byte * messages_[old].bytes;
    }
    for (std::size_t later = 0; later < messages_.size(); ++later) {
      for (const std::size_t earlier : messages_[later].after)
        reversed[number[earlier]].after.push_back(number[later]);
    }
    messages_ = std::move(reversed);
  }

  double seconds() const { return seconds_of_equal_ranks(messages_, links_.bytes_per_second()); }
  /// Rounds, and what a rank sends in all of them.
  RoundsSteps steps() const {
    const auto rounds = static_cast<double>(first_of_round_.size());
    return {.rounds = rounds,
            .bytes = bytes_,
            .messages = rounds > 0 ? static_cast<double>(messages_.size()) / rounds : 0};
  }

 private:
  CommonLinks links_;
  double copy_seconds_per_byte_;
  std::vector<std::size_t> first_of_round_;
  double bytes_ = 0;
  std::vector<CommonMessage> messages_;
};

// Whether a message of dissemination has blocks that an earlier one brought, from so far above.
bool passes_on(const BoxMessage& later, const BoxMessage& earlier) {
  for (std::size_t axis = 0; axis < later.counts.size(); ++axis) {
    const int from = earlier.distances[axis];
    const int stride = later.strides[axis];
    if (from % stride != 0 || from / stride >= later.counts[axis]) return false;
  }
  return true;
}

// By axis: how far upwards the one lies that is so far down.
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

// The rounds of an all-gather, or backwards those of a reduce-scatter. Round a ring blocks are not
// packed: those of the last ranks and of the first ones go in a message each. So ranks do not all
// do the same, and hardly gain by what could leave before a round has ended.
CommonRounds dissemination_rounds(const Call& call, const Shape& shape) {
  const double block = static_cast<double>(call.bytes()) / call.ranks();
  const bool is_ring = shape.dimensions() == 1;
  CommonRounds common(call, shape, !is_ring);
  std::vector<BoxMessage> sent;
  for (const BoxMessage& message : dissemination_messages(shape)) {
    common.begin_round();
    std::vector<std::size_t> after;
    for (std::size_t earlier = 0; earlier < sent.size(); ++earlier) {
      if (is_ring || passes_on(message, sent[earlier])) after.push_back(earlier);
    }
    const double blocks = product(message.counts);
    const int parts = is_ring && blocks > 1 ? 2 : 1;
    for (int part = 0; part < parts; ++part) {
      common.add(upwards(shape, message.distances), block * blocks / parts, after);
      sent.push_back(message);
    }
  }
  if (call.operation() == Operation::reduce_scatter) common.reverse(call.cost_model.node.beta);
  return common;
}

std::optional<CostEstimate> price_dissemination_along(const Call& call, const Shape& shape) {
  const CommonRounds rounds = dissemination_rounds(call, shape);
  RoundsSteps steps = rounds.steps();
  if (call.operation() == Operation::reduce_scatter) {
    steps.combined = steps.copied = others(call);
    steps.scratch = 2 * others(call);
  }
  if (shape.dimensions() > 1) {
    steps.copied += 2 * others(call);
    steps.scratch += 2 * others(call);
  }
  return estimate_rounds(call, rounds.seconds(), steps);
}

// Each round begins when the one before has ended.
CostEstimate price_dissemination_barrier(const Call& call) {
  const Shape ring = ring_of(call.ranks());
  CommonRounds common(call, ring, false);
  std::vector<std::size_t> before;
  for (int distance = 1; distance < call.ranks(); distance *= 2) {
    common.begin_round();
    common.add(std::span(&distance, 1), 0, before);
    before = {before.empty() ? 0 : before.front() + 1};
  }
  return estimate_rounds(call, common.seconds(), common.steps());
}

// Several, along which rounds can go: along one alone they are those of a ring of ranks.
std::optional<Shape> axes_of_ranks(const Call& call) {
  std::optional<Shape> shape = shape_of_ranks(call);
  if (shape && shape->dimensions() < 2) shape.reset();
  return shape;
}

std::optional<CostEstimate> price_torus_dissemination(const Call& call) {
  const auto shape = axes_of_ranks(call);
  return shape ? price_dissemination_along(call, *shape) : std::nullopt;
}

// Round a ring laid through a torus messages cross more links than along the axes.
std::optional<CostEstimate> price_dissemination(const Call& call) {
  if (call.operation() == Operation::barrier) return price_dissemination_barrier(call);
  auto ring = price_dissemination_along(call, ring_of(call.ranks()));
  const auto torus = price_torus_dissemination(call);
  if (ring && torus) ring->seconds = std::max(ring->seconds, torus->seconds);
  return ring;
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

/// A rank names every piece of a message that is cut into one for each rank: with more, the names
/// outgrow what they describe, and trees that carry long messages as well do not.
constexpr int most_ranks_of_pieces = 4096;

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

// Whether any block goes with both.
bool share_blocks(const DigitMessage& a, const DigitMessage& b, const Shape& shape) {
  return a.order == b.order &&
         (a.axis != b.axis || any_has(a.digit, b.digit, shape.extent(a.axis)));
}

// Blocks are put in the order of their distances, packed and unpacked in every round, and at last
// copied to their places.
CostEstimate price_digits(const Call& call, const Shape& shape, const BruckDigits& digits) {
  const auto bytes = static_cast<double>(call.bytes());
  const double block = bytes / call.ranks();
  CommonRounds common(call, shape, true);
  std::vector<DigitMessage> sent;
  std::vector<int> distances(static_cast<std::size_t>(shape.dimensions()), 0);
  for (const auto& messages : bruck_messages(shape, digits)) {
    common.begin_round();
    const std::size_t before = sent.size();
    for (const DigitMessage& message : messages) {
      std::vector<std::size_t> after;
      for (std::size_t earlier = 0; earlier < before; ++earlier) {
        if (share_blocks(message, sent[earlier], shape)) after.push_back(earlier);
      }
      int& along = distances[static_cast<std::size_t>(message.axis)];
      along = message.distance;
      common.add(distances, block * message.blocks, std::move(after));
      along = 0;
      sent.push_back(message);
    }
  }
  RoundsSteps steps = common.steps();
  steps.copied = 2 * steps.bytes + 2 * bytes;
  steps.scratch = 2 * steps.bytes + bytes;
  steps.packed = true;
  CostEstimate estimate = estimate_rounds(call, common.seconds(), steps);
  estimate.settings.digits = digits;
  return estimate;
}

// The least radices of digits that lead to as many places on the longest axis.
std::vector<int> radices_of(const Shape& shape) {
  const int longest = std::ranges::max(shape.axes(), {}, &Axis::extent).extent;
  std::vector<int> radices;
  for (int radix = 2, places = 0; radix <= std::max(longest, 2); ++radix) {
    const int now = NumberSystem(longest, radix).places();
    if (now != places) radices.push_back(radix);
    places = now;
  }
  return radices;
}

std::optional<CostEstimate> price_bruck_along(const Call& call, const Shape& shape,
                                              int most_messages) {
  if (!call.collective.equal_blocks) return std::nullopt;
  std::optional<CostEstimate> best;
  for (const int radix : radices_of(shape)) {
    for (int orders = 1; orders <= shape.dimensions(); ++orders) {
      if (count_bruck_messages(shape, {radix, orders}) > most_messages && best) continue;
      CostEstimate estimate = price_digits(call, shape, {radix, orders});
      if (!best || estimate.seconds < best->seconds) best = estimate;
      if (shape.dimensions() == 1) break;
    }
  }
  return best;
}

std::optional<CostEstimate> price_bruck(const Call& call) {
  return price_bruck_along(call, ring_of(call.ranks()), most_messages_elsewhere);
}

std::optional<CostEstimate> price_torus_bruck(const Call& call) {
  const auto shape = axes_of_ranks(call);
  return shape ? price_bruck_along(call, *shape, most_messages_along_axes) : std::nullopt;
}

}  // namespace

std::vector<Algorithm> rounds_algorithms() {
  return {
      {"torus_dissemination",
       "rounds at distances …, 4, 2, 1 along all axes of a torus in turns",
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
       [](const Call& call, const Conditions&, const Settings& settings) -> ForestOrRounds {
         return bruck_alltoall(shape_of_ranks(call).value(), settings.digits);
       },
       [](const Call& call, const Conditions&, const Settings& settings, int rank) -> RankPart {
         return bruck_alltoall(shape_of_ranks(call).value(), settings.digits, rank);
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
       [](const Call& call, const Conditions&, const Settings& settings) -> ForestOrRounds {
         return bruck_alltoall(ring_of(call.ranks()), settings.digits);
       },
       [](const Call& call, const Conditions&, const Settings& settings, int rank) -> RankPart {
         return bruck_alltoall(ring_of(call.ranks()), settings.digits, rank);
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
