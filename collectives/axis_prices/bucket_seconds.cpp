#include "collectives/axis_prices/bucket_seconds.hpp"

#include "collectives/prices/common_rounds.hpp"
#include "collectives/prices/shape_of_ranks.hpp"
#include "collectives/rounds/bucket_messages.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace cuboid::detail {

BucketCut bucket_cut(const Call& call, const Lattice& lattice,
                     std::span<const BucketColour> colours, double run) {
  BucketCut cut;
  for (const BucketColour& colour : colours) {
    double bundle = colour.share * static_cast<double>(call.bytes()) / call.ranks();
    for (const int axis : colour.axes) {
      const double bundles = bucket_bundles(lattice.shape, axis);
      cut.messages += bundles * std::max(std::ceil(bundle / run), 1.0);
      cut.bundles += bundles;
      bundle *= lattice.shape.extent(axis);
    }
  }
  return cut;
}

namespace {

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

// Of a rank, one way.
double received_bytes(const Call& call) {
  return static_cast<double>(call.bytes()) * (call.ranks() - 1.0) / call.ranks();
}

// What the cores need, one way.
double cores_one_way(const Call& call, const Lattice& lattice,
                     std::span<const BucketColour> colours, double run) {
  const double received = received_bytes(call);
  double bundles = 0;  // around a ring both ways, that of the opposite node in halves
  for (int axis = 0; axis < lattice.shape.dimensions(); ++axis) {
    const Axis& along = lattice.shape.axes()[static_cast<std::size_t>(axis)];
    bundles += along.wraps ? 2 * bucket_rounds(lattice.shape, axis) : along.extent - 1;
  }
  const double messages = static_cast<double>(colours.size()) * bundles + received / run;
  return call.core_seconds(call.ranks() * messages, call.ranks() * received);
}

// One way along all axes, gathering or combining.
double one_way_seconds(const Call& call, const Lattice& lattice,
                       std::span<const BucketColour> colours, const Ways& ways) {
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
  const double received = received_bytes(call);
  return std::max({waiting + std::max(links, cost_model.injection_seconds(received * slots)),
                   ways.combine * received, cores_one_way(call, lattice, colours, ways.run)}) +
         in_node;
}

// Where axes have different rates, one way ends along the slower axes what it began along the
// faster, or the other way round, and links idle while the first and the last wave do: on 4x4, 8x8
// and 4x4x4 simulated at 1.01 to 1.1 times as long in 16 waves, 1.9 times in two.
double idling(const Call& call, const Lattice& lattice, double waves) {
  if (lattice.rates.empty()) return 1;
  const double part = call.flow() == Flow::combine ? 0.8 : 0.25;
  const double of_wave = std::min(1.0, 2 / waves);
  return 1 + part * of_wave * std::max(lattice.alone(lattice.colours()) - 1, 0.0);
}

// Of more messages the pipelines are full, and what the links need tells as much.
constexpr double most_followed_messages = 2000;

// Whole bundles of an all-reduce, if they travel longer than they are handled, go in step: else
// those that one colour gathers delay those that another still combines. So do those of an
// all-gather on a mesh, where some nodes have a line together early. Of axes of different lengths
// all would wait for the longest.
bool goes_in_step(const Call& call, const Lattice& lattice, std::span<const BucketColour> colours,
                  const BucketCut& cut) {
  const bool is_delayed = call.operation() == Operation::allreduce ||
                          (call.operation() == Operation::allgather && !lattice.wraps());
  return is_delayed && cut.is_whole() && lattice.is_even(colours) &&
         call.cost_model.network.beta * static_cast<double>(call.bytes()) *
                 lattice.busiest_link(colours) >
             call.cost_model.network_overhead * cut.messages;
}

// Where bundles are cut in few runs, ranks are not quite alike: some have one early, and delay what
// others send along other axes. What gathers was simulated to take so much longer on tori of two to
// four axes, up to 0.15, the less the more runs there are.
double unlike_on_rings(const Call& call, const Lattice& lattice, const BucketCut& cut) {
  if (!lattice.has_ring() || cut.is_whole() || call.flow() == Flow::combine) return 1;
  const double few = 1.5 * lattice.further_axes() * cut.bundles / cut.messages;
  return 1 + 0.15 * std::min(1.0, few * few);
}

// Nor are they on lines, where those in the middle have all blocks first: simulated on 17 meshes of
// one to four axes. Most where about half of the bundles are cut.
double unlike_on_lines(const Call& call, const Lattice& lattice, const BucketCut& cut) {
  if (lattice.wraps() || call.flow() == Flow::multicast) return 1;
  if (call.flow() == Flow::combine) return cut.is_whole() ? 1 : 1.06;
  const double whole = cut.bundles / cut.messages;
  return 1.03 + 0.3 * lattice.further_axes() * whole * (1 - whole);
}

// On a torus all ranks do the same at the same time, and on lines most wait for those at the ends:
// one rank's messages are followed.
std::optional<double> seconds_of_one_rank(const Call& call, const Lattice& lattice,
                                          std::span<const BucketColour> colours,
                                          const BucketCut& cut, const Settings& settings) {
  const Pipelining& pipelining = settings.pipelining;
  const auto run = static_cast<double>(pipelining.segment_bytes);
  if (cut.messages > most_followed_messages) return std::nullopt;
  const std::optional<Shape> shape = shape_of_ranks(call);
  if (!shape) return std::nullopt;
  std::vector<int> place;  // by axis of the lattice, among those of the ranks
  int longer = 0;
  for (const Axis& axis : lattice.shape.axes())
    place.push_back(axis.extent > 1 ? longer++ : longer);
  std::vector<double> blocks;  // bytes of each colour
  std::vector<double> blocks_in_a_run;
  for (const BucketColour& colour : colours) {
    blocks.push_back(colour.share * static_cast<double>(call.bytes()) / call.ranks());
    blocks_in_a_run.push_back(run / blocks.back());
  }
  CommonRounds common(call, *shape, false);
  int round = -1;
  std::vector<std::size_t> this_round, last_round;
  std::size_t number = 0;
  for (BucketMessage& message : bucket_messages(lattice.shape, colours, blocks_in_a_run)) {
    if (std::exchange(round, message.round) != message.round) {
      common.begin_round();
      last_round = std::exchange(this_round, {});
    }
    this_round.push_back(number++);
    if (settings.in_step) message.after = last_round;
    common.add_to_neighbour(place[static_cast<std::size_t>(message.axis)], message.direction,
                            message.blocks * blocks[message.colour], std::move(message.after),
                            settings.in_step ? 0 : message.colour);
  }
  const double combine = call.cost_model.node.beta;
  if (call.flow() == Flow::combine) common.reverse(combine);
  if (call.flow() == Flow::combine_then_multicast) common.reduce_first(combine);
  // Longer pieces are cut for the network as well, but passed on as a whole.
  const double ways = call.flow() == Flow::combine_then_multicast ? 2 : 1;
  const double unlike = unlike_on_rings(call, lattice, cut) * unlike_on_lines(call, lattice, cut);
  return std::max(unlike * common.seconds(pipelining.sends_at_a_time > 0),
                  ways * cores_one_way(call, lattice, colours, run));
}

}  // namespace

CostEstimate price_bucket_runs(const Call& call, const Lattice& lattice,
                               std::span<const BucketColour> colours, std::size_t run) {
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
  const BucketCut cut = bucket_cut(call, lattice, colours, ways.run);
  estimate.settings.in_step = goes_in_step(call, lattice, colours, cut);
  if (const auto seconds = seconds_of_one_rank(call, lattice, colours, cut, estimate.settings)) {
    estimate.seconds = *seconds;
    return estimate;
  }
  if (call.flow() != Flow::combine)
    estimate.seconds += one_way_seconds(call, lattice, colours, ways);
  ways.combine = call.cost_model.node.beta;
  if (call.flow() == Flow::combine)
    estimate.seconds += one_way_seconds(call, lattice, colours, ways);
  estimate.seconds *= idling(call, lattice, ways.waves);
  if (call.flow() == Flow::combine_then_multicast) {
    // Without waves, links idle while the last bundles come along axes of other lengths: 1.2 to
    // 1.4 times as long was simulated on 4x6x8, 4x8 and 3x5.
    const double uneven = lattice.alone(colours) - 1;
    estimate.seconds +=
        (1 + 1.3 * std::max(uneven, 0.0)) * one_way_seconds(call, lattice, colours, ways);
  }
  return estimate;
}

}  // namespace cuboid::detail
