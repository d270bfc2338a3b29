#include "collectives/algorithms/families.hpp"
#include "collectives/axis_prices/bucket_seconds.hpp"
#include "collectives/prices/segments.hpp"
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

// The number of pieces: enough to keep all paths busy, few enough for a rank to list.
std::vector<BucketColour> colours_of(const Call& call, const Lattice& lattice) {
  constexpr double short_piece = 2 << 10;
  constexpr double most_pieces = 1 << 16;
  constexpr double most_waves = 16;
  const auto colours = lattice.colours();
  const bool even = lattice.is_even(colours);
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

/// A rank of an all-reduce names a piece for every rank: with more, that takes longer than what its
/// trees would lose.
constexpr int most_ranks_of_allreduce = 16384;

// Runs are longer than need be for the links where the cores could not bear as many messages, or
// where they would be few.
std::optional<CostEstimate> price_bucket(const Call& call) {
  const auto lattice = lattice_of(call);
  if (!lattice) return std::nullopt;
  if (call.operation() == Operation::allreduce && call.ranks() > most_ranks_of_allreduce)
    return std::nullopt;
  const std::vector<BucketColour> colours = colours_of(call, *lattice);
  const std::size_t shortest = run_of(call);
  std::optional<CostEstimate> best;
  for (const std::size_t run : {shortest, 2 * shortest, 4 * shortest, greatest_segment}) {
    const std::size_t elements = whole_elements(call, std::min(run, greatest_segment));
    const BucketCut cut = bucket_cut(call, *lattice, colours, static_cast<double>(elements));
    if (run > 4 * shortest && (!cut.is_whole() || !lattice->wraps())) break;
    const CostEstimate estimate = price_bucket_runs(call, *lattice, colours, elements);
    if (!best || estimate.seconds < best->seconds) best = estimate;
  }
  return best;
}

std::vector<Settings> settings_of_bucket(const Call& call) {
  const auto lattice = lattice_of(call);
  if (!lattice) return {};
  if (call.operation() == Operation::allreduce && call.ranks() > most_ranks_of_allreduce) return {};
  const bool in_waves = colours_of(call, *lattice).size() > lattice->colours().size();
  const std::size_t shortest = run_of(call);
  const std::size_t longest = std::max<std::size_t>(call.bytes(), 1);
  std::vector<Settings> all;
  for (std::size_t run : {shortest, 4 * shortest, 16 * shortest, greatest_segment}) {
    run = whole_elements(call, std::min(run, greatest_segment));
    if (!all.empty() && run == all.back().pipelining.segment_bytes) continue;
    for (const bool in_step : {false, true}) {
      Settings& settings = all.emplace_back();
      settings.in_step = in_step;
      settings.pipelining.segment_bytes = run;
      if (in_waves) settings.pipelining.sends_at_a_time = 2;
    }
    if (run >= longest) break;
  }
  return all;
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
  rounds.in_step = settings.in_step;
  return rounds;
}

RankPart part_of_bucket(const Call& call, const Conditions&, const Settings& settings, int rank) {
  const GroupNodes& group = call.cost_model.nodes;
  const int node = group.node_of(rank);
  const auto& on_node = group.ranks_of_node[static_cast<std::size_t>(node)];
  const auto slot = static_cast<int>(std::ranges::find(on_node, rank) - on_node.begin());
  return rounds_of_bucket(call, settings, node * call.most_on_a_node() + slot);
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
       price_bucket,
       [](const Call& call, const Conditions&, const Settings& settings) -> ForestOrRounds {
         return rounds_of_bucket(call, settings, std::nullopt);
       },
       part_of_bucket,
       pieces_of_bucket,
       nullptr,
       true},
  };
}

}  // namespace cuboid::detail
