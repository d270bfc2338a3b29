#include "collectives/algorithms/families.hpp"
#include "collectives/prices/segments.hpp"
#include "collectives/prices/shape_of_ranks.hpp"
#include "collectives/rounds/bucket.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace cuboid::detail {

namespace {

// Runs of blocks are forwarded as they arrive. In an all-gather they are short, so that a node's
// own blocks leave along all axes at once. In a reduce-scatter the blocks that take longest arrive
// last; there waves do the same, and in an all-gather along axes of different lengths.
std::size_t run_of(const Call& call) {
  constexpr std::size_t runs = 2048;
  const std::size_t least = call.operation() == Operation::reduce_scatter ? 64 << 10 : 4 << 10;
  return whole_elements(call, std::clamp(call.bytes() / runs, least, greatest_segment));
}

// The ranks as a shape: that of the nodes and, if each node has the same number of several ranks, a
// further axis, along which all blocks go last.
struct Lattice {
  Shape shape;
  std::optional<int> slots = {};
  std::vector<double> rates = {};  ///< see bucket_colours()

  std::vector<BucketColour> colours(int waves = 1) const {
    return bucket_colours(shape, slots, waves, rates);
  }
  double rate(int axis) const { return rates.empty() ? 1 : rates[static_cast<std::size_t>(axis)]; }
  double busiest_link(std::span<const BucketColour> of) const {
    return busiest_bucket_link(shape, of, slots, rates);
  }
};

std::optional<Lattice> lattice_of(const Call& call) {
  const GroupNodes& group = call.cost_model.nodes;
  const int slots = call.most_on_a_node();
  if (!group.shape || group.nodes() < 2 || call.ranks() != group.nodes() * slots)
    return std::nullopt;
  std::vector<double> rates = relative_rates(group);
  if (slots == 1) return Lattice{*group.shape, {}, std::move(rates)};
  std::vector<Axis> axes(group.shape->axes().begin(), group.shape->axes().end());
  axes.push_back({slots, true});
  if (!rates.empty()) rates.push_back(1);
  return Lattice{Shape(std::move(axes)), group.shape->dimensions(), std::move(rates)};
}

// The time that the busiest colour uses its links, relative to the busiest link's; greater if axes
// differ in length or rate.
double alone(std::span<const BucketColour> colours, const Lattice& lattice) {
  const Shape& shape = lattice.shape;
  const double nodes =
      static_cast<double>(shape.nodes()) / (lattice.slots ? shape.extent(*lattice.slots) : 1);
  double most = 0;
  for (const BucketColour& colour : colours) {
    double bundle = colour.share / nodes;
    double on_links = 0;
    for (const int axis : colour.axes) {
      if (axis == lattice.slots) continue;
      const double ways = shape.wraps(axis) ? 2 : 1;
      on_links += bundle * (shape.extent(axis) - 1) / (ways * lattice.rate(axis));
      bundle *= shape.extent(axis);
    }
    most = std::max(most, on_links);
  }
  return most / lattice.busiest_link(colours);
}

// The number of pieces: enough to keep all paths busy, few enough for a rank to list.
std::vector<BucketColour> colours_of(const Call& call, const Lattice& lattice) {
  constexpr double hardly_more = 1.02;
  constexpr double short_piece = 2 << 10;
  constexpr double most_pieces = 1 << 16;
  constexpr double most_waves = 16;
  const auto colours = lattice.colours();
  const bool even = alone(colours, lattice) < hardly_more;
  if (call.operation() == Operation::allreduce ||
      (call.operation() == Operation::allgather && even))
    return colours;
  const double pieces =
      static_cast<double>(colours.size()) * call.ranks() * bucket_parts(lattice.shape);
  const double piece = static_cast<double>(call.bytes()) / pieces;
  const double waves = std::min({piece / (even ? static_cast<double>(run_of(call)) : short_piece),
                                 most_pieces / pieces, most_waves});
  return waves < 2 ? colours : lattice.colours(static_cast<int>(waves));
}

std::vector<int> ranks_in_order(const GroupNodes& group) {
  std::vector<int> ranks;
  for (const auto& on_node : group.ranks_of_node)
    ranks.insert(ranks.end(), on_node.begin(), on_node.end());
  return ranks;
}

// What happens at the same time.
struct Ways {
  double at_once = 0;  ///< messages of colours that do not follow another
  double waves = 1;
  double run = 0;      ///< bytes
  double combine = 0;  ///< seconds per byte
};

// How much longer each step along the axes takes than its bytes alone. The first run of a message
// must arrive, and be combined, before the next node forwards it; meanwhile the waves that follow
// use the links. The same core sends and receives the other messages, every other one of those
// received meanwhile.
double waiting_seconds(const Call& call, const Lattice& lattice, const BucketColour& colour,
                       const Ways& ways) {
  const Hockney& network = call.cost_model.network;
  const double on_links = network.beta * call.most_on_a_node() * ways.waves;
  const double others = 0.75 * (ways.at_once - 1) * call.cost_model.network_overhead;
  double bundle = colour.share * static_cast<double>(call.bytes()) / call.ranks();
  double seconds = 0;
  for (const int axis : colour.axes) {
    if (axis == lattice.slots) continue;
    const double first = std::min(bundle, ways.run) * (network.beta + ways.at_once * ways.combine);
    const double step = network.alpha + first + others;
    seconds += bucket_rounds(lattice.shape, axis) * std::max(0.0, step - on_links * bundle);
    bundle *= lattice.shape.extent(axis);
  }
  return seconds;
}

// One way along all axes, gathering or combining.
double one_way_seconds(const Call& call, const Lattice& lattice,
                       const std::vector<BucketColour>& colours, const Ways& ways) {
  const GroupCostModel& cost_model = call.cost_model;
  const auto bytes = static_cast<double>(call.bytes());
  double waiting = 0;
  for (const BucketColour& colour : colours)
    waiting = std::max(waiting, waiting_seconds(call, lattice, colour, ways));
  // Nothing overlaps with the arrival of the last run.
  waiting += cost_model.network.alpha;
  const double links = cost_model.network.beta * bytes * lattice.busiest_link(colours);
  const double slots = call.most_on_a_node();
  const double in_node =
      (slots - 1) * (cost_model.node.alpha * static_cast<double>(colours.size()) +
                     (cost_model.node.beta + ways.combine) * bytes / slots);
  const double received = bytes * (call.ranks() - 1.0) / call.ranks();
  double rounds = 0;
  for (const Axis& axis : lattice.shape.axes()) rounds += axis.extent - 1;
  const double messages =
      call.ranks() * (static_cast<double>(colours.size()) * rounds + received / ways.run);
  return std::max({waiting + std::max(links, cost_model.injection_seconds(received * slots)),
                   ways.combine * received, call.core_seconds(messages, call.ranks() * received)}) +
         in_node;
}

// Where axes have different rates, one way ends along the slower axes what it began along the
// faster, or the other way round, and links idle while the first and the last wave do: on 4x4, 8x8
// and 4x4x4 simulated at 1.01 to 1.1 times as long in 16 waves, 1.9 times in two.
double idling(const Call& call, const Lattice& lattice, double waves) {
  if (lattice.rates.empty()) return 1;
  const double part = call.flow() == Flow::combine ? 0.8 : 0.25;
  const double of_wave = std::min(1.0, 2 / waves);
  return 1 + part * of_wave * std::max(alone(lattice.colours(), lattice) - 1, 0.0);
}

CostEstimate price_runs(const Call& call, const Lattice& lattice,
                        const std::vector<BucketColour>& colours, std::size_t run) {
  Ways ways;
  const auto at_once = static_cast<double>(lattice.colours().size());
  const bool any_ring = std::ranges::any_of(lattice.shape.axes(), &Axis::wraps);
  ways.at_once = (any_ring ? 2 : 1) * at_once;
  ways.waves = static_cast<double>(colours.size()) / at_once;
  ways.run = static_cast<double>(run);
  CostEstimate estimate;
  estimate.settings.colours = static_cast<int>(colours.size());
  estimate.settings.pipelining.segment_bytes = run;
  if (ways.waves > 1) estimate.settings.pipelining.sends_at_a_time = 2;
  if (call.flow() != Flow::combine)
    estimate.seconds += one_way_seconds(call, lattice, colours, ways);
  ways.combine = call.cost_model.node.beta;
  if (call.flow() == Flow::combine)
    estimate.seconds += one_way_seconds(call, lattice, colours, ways);
  estimate.seconds *= idling(call, lattice, ways.waves);
  if (call.flow() == Flow::combine_then_multicast) {
    // Without waves, links idle while the last bundles come along axes of other lengths: 1.2 to
    // 1.4 times as long was simulated on 4x6x8, 4x8 and 3x5.
    const double uneven = alone(colours, lattice) - 1;
    estimate.seconds +=
        (1 + 1.3 * std::max(uneven, 0.0)) * one_way_seconds(call, lattice, colours, ways);
  }
  return estimate;
}

/// A rank of an all-reduce names a piece for every rank: with more, that takes longer than what its
/// trees would lose.
constexpr int most_ranks_of_allreduce = 16384;

// Runs are longer than need be for the links where the cores could not bear as many messages.
std::optional<CostEstimate> price_bucket(const Call& call) {
  const auto lattice = lattice_of(call);
  if (!lattice) return std::nullopt;
  if (call.operation() == Operation::allreduce && call.ranks() > most_ranks_of_allreduce)
    return std::nullopt;
  const std::vector<BucketColour> colours = colours_of(call, *lattice);
  const std::size_t shortest = run_of(call);
  CostEstimate best = price_runs(call, *lattice, colours, shortest);
  for (const std::size_t times : {2U, 4U}) {
    const std::size_t run = whole_elements(call, std::min(times * shortest, greatest_segment));
    const CostEstimate estimate = price_runs(call, *lattice, colours, run);
    if (estimate.seconds < best.seconds) best = estimate;
  }
  return best;
}

std::vector<Piece> pieces_of_bucket(const Call& call, const Conditions& conditions,
                                    const Settings&) {
  const auto lattice = lattice_of(call);
  const auto colours = colours_of(call, *lattice);
  if (call.operation() == Operation::allreduce)
    return bucket_pieces(lattice->shape, colours, conditions, call.element_bytes());
  return bucket_pieces(lattice->shape, colours, ranks_in_order(call.cost_model.nodes), conditions,
                       call.element_bytes());
}

Rounds rounds_of_bucket(const Call& call, std::optional<int> node) {
  const auto lattice = lattice_of(call);
  const auto colours = colours_of(call, *lattice);
  const std::vector<int> rank_at = ranks_in_order(call.cost_model.nodes);
  switch (call.operation()) {
    case Operation::allgather: return bucket_allgather(lattice->shape, colours, rank_at, node);
    case Operation::reduce_scatter:
      return bucket_reduce_scatter(lattice->shape, colours, rank_at, node);
    default: return bucket_allreduce(lattice->shape, colours, rank_at, node);
  }
}

RankPart part_of_bucket(const Call& call, const Conditions&, const Settings&, int rank) {
  const GroupNodes& group = call.cost_model.nodes;
  const int node = group.node_of(rank);
  const auto& on_node = group.ranks_of_node[static_cast<std::size_t>(node)];
  const auto slot = static_cast<int>(std::ranges::find(on_node, rank) - on_node.begin());
  return rounds_of_bucket(call, node * call.most_on_a_node() + slot);
}

}  // namespace

std::vector<Algorithm> bucket_algorithms() {
  return {
      {"bucket",
       "the blocks of lines together, then of planes, along all axes of the network's shape at "
       "once",
       {Operation::allgather, Operation::reduce_scatter, Operation::allreduce},
       false,
       price_bucket,
       [](const Call& call, const Conditions&, const Settings&) -> ForestOrRounds {
         return rounds_of_bucket(call, std::nullopt);
       },
       part_of_bucket,
       pieces_of_bucket,
       nullptr,
       true},
  };
}

}  // namespace cuboid::detail
