#include "collectives/algorithms/algorithm.hpp"

#include "collectives/algorithms/families.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>

namespace cuboid::detail {

namespace {

std::size_t message_bytes(const Collective& collective) {
  const auto& blocks = collective.operation == Operation::allgather ? collective.output_blocks
                                                                    : collective.input_blocks;
  const std::size_t elements =
      blocks.counts.empty()
          ? collective.count
          : std::accumulate(blocks.counts.begin(), blocks.counts.end(), std::size_t{0});
  return elements * collective.type.bytes();
}

}  // namespace

Call::Call(const Collective& of, const GroupCostModel& in)
    : collective(of), cost_model(in), bytes_(message_bytes(of)) {
  for (const auto& on_node : in.nodes.ranks_of_node) {
    const int here = static_cast<int>(on_node.size());
    ranks_ += here;
    most_on_a_node_ = std::max(most_on_a_node_, here);
  }
}

Flow Call::flow() const {
  switch (operation()) {
    case Operation::reduce:
    case Operation::reduce_scatter: return Flow::combine;
    case Operation::allreduce: return Flow::combine_then_multicast;
    default: return Flow::multicast;
  }
}

bool Algorithm::serves(Operation operation) const {
  return std::ranges::find(operations, operation) != operations.end();
}

std::span<const Algorithm> algorithms() {
  static const std::vector<Algorithm> all = [] {
    std::vector<Algorithm> table;
    for (auto* family :
         {bucket_algorithms, shape_algorithms, packed_algorithms, tree_rounds_algorithms,
          rounds_algorithms, swing_algorithms, tree_algorithms, nested_algorithms, ring_algorithms,
          path_algorithms, prefix_algorithms}) {
      std::ranges::move(family(), std::back_inserter(table));
    }
    return table;
  }();
  return all;
}

Conditions in_pieces_of(const Algorithm& algorithm, const Call& call, Conditions conditions,
                        const Settings& settings) {
  if (algorithm.pieces == nullptr) return conditions;
  return in_pieces(conditions, algorithm.pieces(call, conditions, settings));
}

const Algorithm* find_algorithm(std::string_view name) {
  const auto all = algorithms();
  const auto found = std::ranges::find(all, name, &Algorithm::name);
  return found == all.end() ? nullptr : &*found;
}

namespace {

bool on_one_node(const Call& call) {
  return call.cost_model.nodes.nodes() == 1;
}

std::size_t greatest_segment_of(const Call& call) {
  if (call.flow() != Flow::multicast) return greatest_combined_segment;
  return on_one_node(call) ? greatest_segment_in_node : greatest_segment;
}

}  // namespace

std::size_t whole_elements(const Call& call, std::size_t bytes) {
  const std::size_t element = call.element_bytes();
  return std::max(bytes / element, std::size_t{1}) * element;
}

std::size_t sensible_segment(const Call& call, std::size_t bytes, std::size_t least) {
  return whole_elements(call, std::clamp(bytes, least, greatest_segment_of(call)));
}

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

Pipelining pipelining_in_node(Flow flow, std::size_t segment) {
  Pipelining pipelining;
  pipelining.segment_bytes = segment;
  if (flow != Flow::multicast) {
    pipelining.segments_in_flight = static_cast<int>(std::clamp<std::size_t>(
        combined_in_flight / segment, 2, static_cast<std::size_t>(pipelining.segments_in_flight)));
  }
  return pipelining;
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

int sensible_bundle(std::size_t segment_bytes, double slice) {
  constexpr double long_for_memory = 256 << 10;
  const double bundle = std::min(long_for_memory, slice / 4) / static_cast<double>(segment_bytes);
  return static_cast<int>(std::max(bundle, 1.0));
}

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
  if (on_one_node(call)) return estimate_trees_in_node(call, steps, trees);
  return estimate_pipelined(call, steps, trees, [&](double bytes, double) {
    return further + counted_seconds(call, steps, bytes);
  });
}

// Links tell more than counted steps, but take long to follow.
CostEstimate estimate_trees(const Call& call, TreeSteps steps, std::span<const RelativesOf> trees) {
  constexpr double small_part = 0.05;
  const auto count = static_cast<int>(trees.size());
  if (on_one_node(call)) return estimate_trees_in_node(call, steps, count);
  return estimate_pipelined(call, steps, count, [&](double bytes, double others) {
    const double counted = counted_seconds(call, steps, bytes);
    return counted < small_part * others ? counted : deepest_branch_seconds(call, trees, bytes);
  });
}

// Over a network a run is long enough to be worth its start, and short enough for the next round to
// begin with the first run while the last is in flight.
constexpr std::size_t longest_in_rounds = 64 << 10;

namespace {

/// Bytes of all blocks of a rank's input and output that an operation of equal blocks has.
double own_memory(const Call& call) {
  const double bytes = static_cast<double>(call.bytes());
  const bool of_one_block =
      call.operation() == Operation::allgather || call.operation() == Operation::reduce_scatter;
  return of_one_block ? bytes + bytes / call.ranks() : 2 * bytes;
}

/// Bytes that a rank reads and writes: its own, and results of others, which ranks that share its
/// core read as well. Contributions are each read by one rank.
double touched_in_rounds(const Call& call, const RoundsSteps& steps) {
  const bool results = call.operation() != Operation::alltoall;
  const double of_others = results ? steps.bytes - steps.combined : 0;
  return own_memory(call) + steps.scratch + of_others / call.cost_model.ranks_per_core;
}

/// Bytes that a rank copies from its input to its output. They count for calls in place as well:
/// one rank's call may be in place and another's not, and all ranks must compute the same price.
double own_block(const Call& call) {
  const Operation operation = call.operation();
  const bool keeps_one = operation == Operation::allgather || operation == Operation::alltoall;
  if (!keeps_one) return 0;
  return static_cast<double>(call.bytes()) / call.ranks();
}

}  // namespace

CostEstimate estimate_rounds(const Call& call, double seconds, const RoundsSteps& in_node) {
  CostEstimate estimate{{}, seconds};
  const double ranks = call.ranks();
  if (!on_one_node(call)) {
    estimate.settings.pipelining.segment_bytes = whole_elements(call, longest_in_rounds);
    const double messages = ranks * in_node.rounds * in_node.messages;
    const double bytes = ranks * in_node.bytes;
    estimate.seconds = std::max(estimate.seconds, call.core_seconds(messages, bytes));
    return estimate;
  }
  if (call.flow() == Flow::combine) {
    estimate.settings.pipelining =
        pipelining_in_node(call.flow(), whole_elements(call, greatest_combined_segment));
  } else {
    estimate.settings.pipelining.segment_bytes = whole_elements(call, greatest_segment);
  }
  const double rounds = std::max(in_node.rounds, 1.0);
  // Every round but the first forwards the data of the round before.
  const double fresh_part = in_node.packed ? 1 : 1 - 1 / rounds;
  const double path_bytes = std::max(in_node.bytes, in_node.path_bytes);
  const double copied = in_node.copied + own_block(call);
  const auto segment = static_cast<double>(estimate.settings.pipelining.segment_bytes);
  const double messages = std::max(in_node.rounds * in_node.messages, in_node.bytes / segment);
  const NodeMemory memory = call.cost_model.memory(touched_in_rounds(call, in_node),
                                                   in_node.bytes / std::max(messages, 1.0));
  estimate.seconds = node_seconds(memory, call.ranks(),
                                  {.hops = in_node.rounds,
                                   .path_messages = messages,
                                   .path_bytes = path_bytes,
                                   .path_fresh = fresh_part * path_bytes,
                                   .path_combined = in_node.combined,
                                   .path_copied = copied,
                                   .messages = ranks * messages,
                                   .bytes = ranks * in_node.bytes,
                                   .fresh = ranks * fresh_part * in_node.bytes,
                                   .combined = ranks * in_node.combined,
                                   .copied = ranks * copied});
  return estimate;
}

}  // namespace cuboid::detail
