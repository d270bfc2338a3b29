#include "collectives/prices/estimate_trees.hpp"

#include "collectives/prices/round_seconds.hpp"
#include "collectives/prices/segments.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace cuboid::detail {

namespace {

/// Bytes that a rank reads and writes. Bytes that all ranks of its core read are divided among
/// these ranks.
double touched_in_trees(const Call& call) {
  const double sharing = call.cost_model.ranks_per_core;
  const double bytes = static_cast<double>(call.bytes());
  if (call.flow() == Flow::multicast) return bytes + bytes / sharing;
  const double of_root = 3 * bytes / sharing;  // its own contribution, another's and the result
  const double of_each = call.flow() == Flow::combine ? bytes + bytes / call.ranks() : 2 * bytes;
  return std::max(of_root, of_each);
}

// A rank gets a slice of every tree. Contributions are copied and then combined, those of one
// rank's children one after the other.
double trees_in_node(const Call& call, const TreeSteps& steps, int trees, double segment) {
  const double slice = static_cast<double>(call.bytes()) / trees;
  const double segments = std::max(1.0, std::ceil(slice / segment));
  const double edges = trees * (call.ranks() - 1);
  const bool inwards = call.flow() != Flow::multicast;
  const bool outwards = call.flow() != Flow::combine;
  const double flows = inwards && outwards ? 2 : 1;
  const double depth = steps.depth / flows;
  const double first_hop = std::min(segment, slice);
  const double down_the_tree = (depth - 1) * first_hop + trees * slice;
  // Forwarded data and results are fresh: their sender has just written them.
  const auto handed_on = [&](double bytes) { return depth > 1 ? bytes - first_hop : 0.0; };
  const double fresh_edges = std::max(0.0, edges - trees * steps.widest);
  NodeWork work;
  work.hops = steps.depth;
  work.path_hops = depth > 1 ? segments - 1 : 0;
  work.messages = flows * edges * segments;
  if (outwards) {
    work.bytes += edges * slice;
    work.fresh += (inwards ? edges : fresh_edges) * slice;
  }
  if (inwards) {
    work.bytes += edges * slice;
    work.fresh += fresh_edges * slice;
    work.combined += edges * slice;
  }
  NodeMemory memory = call.cost_model.memory(touched_in_trees(call), first_hop);
  const auto seconds = [&](double combined, double taken_in, double messages) {
    NodeWork along = work;
    along.path_messages = std::max(messages, steps.depth + segments - 1);
    along.path_bytes = combined + taken_in;
    along.path_fresh = handed_on(combined) + (inwards ? taken_in : handed_on(taken_in));
    along.path_combined = combined;
    return node_seconds(memory, call.ranks(), along);
  };
  const double combined = inwards ? std::max(down_the_tree, steps.widest * slice) : 0;
  const double taken_in = outwards ? down_the_tree : 0;
  const double messages = steps.widest * segments;
  // Without forwarding, the ranks that receive results are others than those that combine, and work
  // at the same time.
  if (inwards && outwards && depth <= 1) {
    memory.overhead = std::max(memory.overhead, memory.crowded_overhead);
    memory.message.beta = std::max(memory.message.beta, memory.crowded_beta);
    return std::max(seconds(combined, first_hop, messages), seconds(first_hop, taken_in, segments));
  }
  return seconds(combined, taken_in, messages);
}

CostEstimate estimate_trees_in_node(const Call& call, const TreeSteps& steps, int trees) {
  std::optional<CostEstimate> best;
  for (std::size_t bytes = greatest_segment_of(call); bytes >= least_segment; bytes /= 2) {
    CostEstimate estimate;
    const std::size_t segment = sensible_segment(call, bytes);
    estimate.settings.pipelining = pipelining_in_node(call.flow(), segment);
    estimate.seconds = trees_in_node(call, steps, trees, static_cast<double>(segment));
    if (!best || estimate.seconds < best->seconds) best = estimate;
  }
  return *best;
}

}  // namespace

double core_seconds_of_edges(const Call& call, double edges, double slice, double segment) {
  const double messages = edges * std::max(1.0, std::ceil(slice / segment));
  return call.core_seconds(messages, edges * slice);
}

namespace {

double counted_seconds(const Call& call, const TreeSteps& steps, double bytes) {
  const Hockney& network = call.cost_model.slowest();
  return steps.first * (network.alpha + network.beta * bytes);
}

// `first_segment(bytes, others)`: the seconds until the last rank has it; those of the others
// follow.
template <class FirstSegment>
CostEstimate estimate_pipelined(const Call& call, const TreeSteps& steps, int trees,
                                const FirstSegment& first_segment) {
  const Hockney& network = call.cost_model.slowest();
  const double slice = static_cast<double>(call.bytes()) / trees;
  CostEstimate estimate;
  estimate.settings.pipelining.segment_bytes =
      sensible_segment(call, best_segment(network, steps, slice));
  const auto segment = static_cast<double>(estimate.settings.pipelining.segment_bytes);
  const double segments = std::max(1.0, std::ceil(slice / segment));
  const double others = pipelined_tree_seconds(network, {.first = 0, .gap = steps.gap}, slice,
                                               estimate.settings.pipelining.segment_bytes);
  estimate.seconds = first_segment(slice / segments, others) + others;
  const double flows = call.flow() == Flow::combine_then_multicast ? 2 : 1;
  const double edges = flows * trees * (call.ranks() - 1);
  estimate.seconds =
      std::max({estimate.seconds, core_seconds_of_edges(call, edges, slice, segment),
                call.cost_model.injection_seconds(static_cast<double>(call.bytes()))});
  return estimate;
}

}  // namespace

CostEstimate estimate_trees(const Call& call, TreeSteps steps, int trees, double further) {
  if (call.on_one_node()) return estimate_trees_in_node(call, steps, trees);
  return estimate_pipelined(call, steps, trees, [&](double bytes, double) {
    return further + counted_seconds(call, steps, bytes);
  });
}

namespace {

// Along a single axis edges of trees lie on top of each other: so many on the busiest link. Along
// several they spread.
double edges_on_a_link(const Call& call, std::span<const RelativesOf> trees) {
  const auto& shape = call.cost_model.nodes.shape;
  if (!shape || count_long_axes(*shape) != 1) return 1;
  const int ranks = call.ranks();
  const int root = call.collective.root;
  const int edges = ranks - 1;
  const auto message = [&](int number) -> RoundMessage {
    const int child = (root + 1 + number % edges) % ranks;
    const auto tree = static_cast<std::size_t>(number / edges);
    return {trees[tree](child).parent.value_or(root), child};
  };
  return round_load(call, {.count = edges * static_cast<int>(trees.size()), .message = message})
      .on_link;
}

}  // namespace

// Links tell more than counted steps, but take long to follow.
CostEstimate estimate_trees(const Call& call, TreeSteps steps, std::span<const RelativesOf> trees) {
  constexpr double small_part = 0.05;
  const auto count = static_cast<int>(trees.size());
  if (call.on_one_node()) return estimate_trees_in_node(call, steps, count);
  steps.gap = std::max(steps.gap, edges_on_a_link(call, trees));
  return estimate_pipelined(call, steps, count, [&](double bytes, double others) {
    const double counted = counted_seconds(call, steps, bytes);
    return counted < small_part * others ? counted : deepest_branch_seconds(call, trees, bytes);
  });
}

}  // namespace cuboid::detail
