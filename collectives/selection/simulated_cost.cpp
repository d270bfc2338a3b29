#include "collectives/selection/simulated_cost.hpp"

#include "collectives/selection/conditions_of.hpp"
#include "collectives/selection/forest_segments.hpp"
#include "collectives/selection/simulated_seconds.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

namespace cuboid::detail {

namespace {

// Beyond these limits, a simulation takes longer than it saves.
constexpr int most_ranks = 64;
constexpr int most_ranks_of_blocks = 16;
constexpr double most_transfers = 1200;

// Longer messages hardly gain by what links let through after a rest.
constexpr double bursts_that_matter = 4;

// Longer segments gain nothing.
constexpr std::size_t long_segment = 64 << 10;

// Where every part of an all-reduce has trees of its own, or a message is cut for every rank, these
// are as many edges or messages as ranks have pairs: of more, formulas must do.
bool are_few_edges(const Call& call, const Settings& settings) {
  constexpr double most_edges = 700;
  return 2.0 * settings.roots * settings.colours * (call.ranks() - 1) <= most_edges;
}

bool are_few_messages(const Call& call, const Settings& settings) {
  constexpr double most_messages = 2500;
  const double longest = static_cast<double>(settings.pipelining.segment_bytes);
  return 2.0 * call.ranks() * static_cast<double>(call.bytes()) / longest <= most_messages;
}

// Blocks that each go their own way take as many messages as ranks have pairs.
bool are_few_ways(const Call& call, const ForestOrRounds& how) {
  constexpr std::size_t most_ways = 600;
  const bool of_blocks =
      call.operation() == Operation::allgather || call.operation() == Operation::reduce_scatter;
  if (!of_blocks || call.ranks() <= most_ranks_of_blocks) return true;
  std::size_t ways = 0;
  if (const auto* forest = std::get_if<Forest>(&how)) {
    for (const Tree& tree : forest->trees) ways += tree.edges.size();
  } else {
    for (const auto& round : std::get<Rounds>(how).rounds) ways += round.size();
  }
  return ways <= most_ways;
}

// On meshes trees out of many nodes are quicker the more segments they have: more than are
// simulated.
bool need_many_segments(const Call& call, const Settings& settings) {
  const auto& shape = call.cost_model.nodes.shape;
  return settings.roots > 1 && shape && has_line(*shape);
}

// Whether a rank knows the blocks of all the others, and simulating them does not take too long.
bool can_be_simulated(const Call& call, const Algorithm& algorithm, const Settings& settings) {
  if (algorithm.pieces != nullptr && !are_few_messages(call, settings)) return false;
  switch (call.operation()) {
    case Operation::alltoall:
      return call.collective.equal_blocks && call.ranks() <= most_ranks_of_blocks;
    case Operation::allreduce:
      return are_few_edges(call, settings) && !need_many_segments(call, settings);
    case Operation::gather:
    case Operation::scatter: return false;
    default: return true;
  }
}

// By what segments of different lengths are compared. A stream fills its pipelines once, but takes
// of the cores, which have other work, with every message.
double cost(const Call& call, double seconds, double messages, double bytes) {
  const int length = call.collective.stream_length;
  return length == 1 ? seconds : seconds / length + call.cost_model.core_seconds(messages, bytes);
}

// The simulator does not know that a message waits for those that are on their way before it, which
// costs such trees more the longer segments are: theirs are the formula's.
bool takes_turns_both_ways(const Forest& forest, const Pipelining& pipelining) {
  return forest.flow == Flow::combine_then_multicast && pipelining.sends_at_a_time > 0;
}

// Segments are doubled for as long as that costs next to nothing: of those the longest. Algorithms
// are compared by what they take alone at their best.
CostEstimate quote_forest(const Forest& forest, const Call& call, CostEstimate estimate) {
  const double as_good = call.collective.stream_length == 1 ? 1.02 : 1.1;
  const std::size_t longest = longest_slice(forest);
  CostEstimate chosen = estimate;
  double best = std::numeric_limits<double>::infinity();
  double alone = best;
  while (true) {
    const Pipelining& pipelining = estimate.settings.pipelining;
    estimate.seconds = simulated_seconds(forest, pipelining, call.cost_model, most_transfers);
    const double costs =
        cost(call, estimate.seconds, messages_of(forest, pipelining), bytes_of(forest));
    if (costs > as_good * best) break;
    best = std::min(best, costs);
    alone = std::min(alone, estimate.seconds);
    chosen = estimate;
    const std::size_t segment = pipelining.segment_bytes;
    if (segment >= std::min(longest, long_segment) || takes_turns_both_ways(forest, pipelining))
      break;
    estimate.settings.pipelining.segment_bytes = 2 * segment;
    estimate.settings.pipelining.segments_per_bundle =
        std::max(pipelining.segments_per_bundle / 2, 1);
  }
  if (call.collective.stream_length > 1) chosen.seconds = alone;
  return chosen;
}

}  // namespace

std::optional<CostEstimate> simulated_cost(const Call& call, const Algorithm& algorithm,
                                           const CostEstimate& estimate) {
  const GroupNodes& nodes = call.cost_model.nodes;
  if (nodes.nodes() < 2 || call.ranks() > most_ranks) return std::nullopt;
  if (!nodes.shape && !nodes.network) return std::nullopt;
  if (algorithm.priced_closely) return std::nullopt;
  const bool moves_nothing = call.bytes() == 0 && call.operation() != Operation::barrier;
  if (moves_nothing || !can_be_simulated(call, algorithm, estimate.settings)) return std::nullopt;
  const GroupCostModel& usual = call.cost_model;
  const double burst = nodes.burst_bytes;
  if (usual.burst_bytes == 0 && burst > 0 &&
      static_cast<double>(call.bytes()) <= bursts_that_matter * burst) {
    GroupCostModel after_a_rest = usual;
    after_a_rest.burst_bytes = burst;
    return simulated_cost({call.collective, after_a_rest}, algorithm, estimate);
  }
  const Conditions conditions =
      in_pieces_of(algorithm, call, conditions_of(call, algorithm), estimate.settings);
  const ForestOrRounds how = algorithm.build(call, conditions, estimate.settings);
  if (!are_few_ways(call, how)) return std::nullopt;
  if (const auto* forest = std::get_if<Forest>(&how)) return quote_forest(*forest, call, estimate);
  return CostEstimate{estimate.settings,
                      simulated_seconds(std::get<Rounds>(how), conditions,
                                        estimate.settings.pipelining, call.cost_model)};
}

}  // namespace cuboid::detail
