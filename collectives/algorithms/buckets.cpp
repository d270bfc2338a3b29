#include "collectives/algorithms/families.hpp"
#include "collectives/evaluation/segments.hpp"
#include "collectives/evaluation/shape_of_ranks.hpp"
#include "collectives/rounds/bucket.hpp"
#include "collectives/rounds/bucket_messages.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace cuboid::detail {

namespace {

// The bytes of a run, a sequence of blocks that is forwarded as soon as it arrives. In an
// all-gather runs are short, so that a node's own blocks leave along all axes at once. In a
// reduce-scatter the blocks that take longest arrive last; there pipelined passes have the
// same effect, and in an all-gather along axes of different lengths, too.
std::size_t run_of(const Call& call) {
  constexpr std::size_t runs = 2048;
  const std::size_t least = call.operation() == Operation::reduce_scatter ? 64 << 10 : 4 << 10;
  return whole_elements(call, std::clamp(call.bytes() / runs, least, greatest_segment));
}

// The number of pipelined passes into which a block is cut: enough to keep all paths busy, few
// enough for a rank to list all pieces.
int passes_of(const Call& call, const Lattice& lattice) {
  constexpr double short_piece = 2 << 10;
  constexpr double most_pieces = 1 << 16;
  constexpr double most_passes = 16;
  const auto colours = lattice.colours();
  const bool even = lattice.is_even(colours);
  if (call.operation() == Operation::allreduce ||
      (call.operation() == Operation::allgather && even))
    return 1;
  const double pieces =
      static_cast<double>(colours.size()) * call.ranks() * bucket_parts(lattice.shape);
  const double piece = static_cast<double>(call.bytes()) / pieces;
  const double passes = std::min({piece / (even ? static_cast<double>(run_of(call)) : short_piece),
                                  most_pieces / pieces, most_passes});
  return passes < 2 ? 1 : static_cast<int>(passes);
}

std::vector<BucketColour> colours_of(const Call& call, const Lattice& lattice) {
  return lattice.colours(passes_of(call, lattice));
}

std::vector<int> ranks_in_order(const GroupNodes& group) {
  std::vector<int> ranks;
  for (const auto& on_node : group.ranks_of_node)
    ranks.insert(ranks.end(), on_node.begin(), on_node.end());
  return ranks;
}

/// A rank of an all-reduce lists a piece for every rank. With more ranks, the list takes longer
/// than trees would lose.
constexpr int most_ranks_of_allreduce = 16384;

std::vector<Settings> settings_of_bucket(const Call& call) {
  const auto lattice = lattice_of(call);
  if (!lattice) return {};
  if (call.operation() == Operation::allreduce && call.ranks() > most_ranks_of_allreduce) return {};
  const bool in_passes = colours_of(call, *lattice).size() > lattice->colours().size();
  const std::size_t shortest = run_of(call);
  const std::size_t longest = std::max<std::size_t>(call.bytes(), 1);
  std::vector<Settings> all;
  for (std::size_t run : {shortest, 4 * shortest, 16 * shortest, greatest_segment}) {
    run = whole_elements(call, std::min(run, greatest_segment));
    if (!all.empty() && run == all.back().pipelining.segment_bytes) continue;
    for (const bool lockstep : {false, true}) {
      Settings& settings = all.emplace_back();
      settings.lockstep = lockstep;
      settings.pipelining.segment_bytes = run;
      if (in_passes) settings.pipelining.sends_at_a_time = 2;
    }
    if (run >= longest) break;
  }
  return all;
}

Pieces pieces_of_bucket(const Call& call, const Conditions& conditions, const Settings&) {
  const auto lattice = lattice_of(call);
  const auto colours = colours_of(call, *lattice);
  if (call.operation() == Operation::allreduce)
    return bucket_pieces(lattice->shape, colours, conditions, call.element_bytes());
  return bucket_pieces(lattice->shape, colours, ranks_in_order(call.cost_model.nodes), conditions,
                       call.element_bytes());
}

Rounds rounds_of_bucket(const Call& call, const Settings& settings, std::optional<int> node) {
  const auto lattice = lattice_of(call);
  const auto colours = colours_of(call, *lattice);
  const std::vector<int> rank_at = ranks_in_order(call.cost_model.nodes);
  const auto all = [&] {
    switch (call.operation()) {
      case Operation::allgather: return bucket_allgather(lattice->shape, colours, rank_at, node);
      case Operation::reduce_scatter:
        return bucket_reduce_scatter(lattice->shape, colours, rank_at, node);
      default: return bucket_allreduce(lattice->shape, colours, rank_at, node);
    }
  };
  Rounds rounds = all();
  rounds.lockstep = settings.lockstep;
  return rounds;
}

RankPart part_of_bucket(const Call& call, const Conditions&, const Settings& settings, int rank) {
  const GroupNodes& group = call.cost_model.nodes;
  const int node = group.node_of(rank);
  const auto& on_node = group.ranks_of_node[static_cast<std::size_t>(node)];
  const auto slot = static_cast<int>(std::ranges::find(on_node, rank) - on_node.begin());
  return rounds_of_bucket(call, settings, node * call.most_on_a_node() + slot);
}

// What a colour carries of each block in one pass.
struct OfColour {
  double block_bytes = 0;
  double blocks_in_a_run = 0;
};

std::vector<OfColour> parts_of(const Call& call, std::span<const BucketColour> colours, double run,
                               double passes) {
  std::vector<OfColour> parts;
  for (const BucketColour& colour : colours) {
    const double block = colour.share / passes * static_cast<double>(call.bytes()) / call.ranks();
    parts.push_back({block, block > 0 ? run / block : 1});
  }
  return parts;
}

// The messages that a rank sends in one all-gather or reduce-scatter.
double count_messages(const Lattice& lattice, std::span<const BucketColour> colours,
                      std::span<const OfColour> parts) {
  double messages = 0;
  for (std::size_t colour = 0; colour < colours.size(); ++colour) {
    double bundle = 1;
    for (const int axis : colours[colour].axes) {
      messages += bucket_bundles(lattice.shape, axis) *
                  std::max(std::ceil(bundle / parts[colour].blocks_in_a_run), 1.0);
      bundle *= lattice.shape.extent(axis);
    }
  }
  return messages;
}

// On a torus all ranks do the same at the same time, and on lines most ranks wait for those at the
// ends. Passes follow one another, so one of them is followed.
std::optional<SymmetricRounds> symmetric_rounds_of_bucket(const Call& call,
                                                          const Settings& settings) {
  const std::optional<Shape> shape = shape_of_ranks(call);
  if (!shape) return std::nullopt;
  const Lattice lattice = lattice_of(call).value();
  std::vector<int> place;  // for each axis of the lattice, its number among the ranks' axes
  int longer = 0;
  for (const Axis& axis : lattice.shape.axes())
    place.push_back(axis.extent > 1 ? longer++ : longer);
  const std::vector<BucketColour> colours = lattice.colours();
  const double passes = passes_of(call, lattice);
  // With very many runs longer runs predict the same: pipelines are full with either.
  constexpr double most_messages = 1500;
  auto run = static_cast<double>(settings.pipelining.segment_bytes);
  std::vector<OfColour> parts = parts_of(call, colours, run, passes);
  for (int doubled = 0; doubled < 20 && count_messages(lattice, colours, parts) > most_messages;
       ++doubled)
    parts = parts_of(call, colours, run *= 2, passes);
  std::vector<double> blocks_in_a_run;
  for (const OfColour& part : parts) blocks_in_a_run.push_back(part.blocks_in_a_run);
  SymmetricRounds rounds(call, *shape, Packed::no);
  int round = -1;
  std::vector<std::size_t> this_round, last_round;
  std::size_t number = 0;
  for (BucketMessage& message : bucket_messages(lattice.shape, colours, blocks_in_a_run)) {
    if (std::exchange(round, message.round) != message.round) {
      rounds.begin_round();
      last_round = std::exchange(this_round, {});
    }
    this_round.push_back(number++);
    if (settings.lockstep) message.after = last_round;
    rounds.add_to_neighbour(place[static_cast<std::size_t>(message.axis)], message.direction,
                            message.blocks * parts[message.colour].block_bytes,
                            std::move(message.after), settings.lockstep ? 0 : message.colour);
  }
  const double combine = call.cost_model.node.beta;
  if (call.flow() == Flow::combine) rounds.reverse(combine);
  if (call.flow() == Flow::combine_then_multicast) rounds.reduce_first(combine);
  rounds.repeat(passes);
  return rounds;
}

}  // namespace

std::vector<Algorithm> bucket_algorithms() {
  return {
      {"bucket",
       "the blocks of lines together, then of planes, along all axes of the network's shape at "
       "once",
       {Operation::allgather, Operation::reduce_scatter, Operation::allreduce},
       false,
       settings_of_bucket,
       [](const Call& call, const Conditions&, const Settings& settings) -> ForestOrRounds {
         return rounds_of_bucket(call, settings, std::nullopt);
       },
       part_of_bucket,
       pieces_of_bucket,
       nullptr,
       symmetric_rounds_of_bucket},
  };
}

}  // namespace cuboid::detail
