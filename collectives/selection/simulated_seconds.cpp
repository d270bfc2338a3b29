#include "collectives/selection/simulated_seconds.hpp"

#include "collectives/schedules/slices.hpp"
#include "collectives/schedules/transfers.hpp"
#include "models/simulator/simulator.hpp"
#include "models/simulator/tree_pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_set>
#include <variant>
#include <vector>

namespace cuboid::detail {

namespace {

LogGP between_nodes_of(const GroupCostModel& cost_model) {
  const Hockney& network = cost_model.network;
  const double overhead = std::min(cost_model.network_overhead, network.alpha) / 2;
  return {.latency = network.alpha - 2 * overhead,
          .send_overhead = overhead,
          .receive_overhead = overhead,
          .gap = 0,
          .byte_gap = network.beta};
}

// A measured rate that is hardly less than that of all cables is these cables' own.
double injection_limit(const GroupCostModel& cost_model, const Network& network) {
  constexpr double hardly_less = 0.9;
  std::size_t cables = 0;
  for (int node = 0; node < network.nodes(); ++node)
    cables = std::max(cables, network.links_from(node).size());
  const double all_cables = static_cast<double>(cables) / cost_model.network.beta;
  const double limit = cost_model.injection_bytes_per_second;
  return limit < hardly_less * all_cables ? limit : 0;
}

Platform platform_of(const GroupCostModel& cost_model) {
  const GroupNodes& nodes = cost_model.nodes;
  Platform platform{nodes.shape
                        ? Routes::dimension_ordered(*nodes.shape, nodes.axis_bytes_per_second)
                        : Routes::shortest(*nodes.network),
                    nodes.node_of_rank(), between_nodes_of(cost_model), log_gp(cost_model.node)};
  platform.injection_bytes_per_second = injection_limit(cost_model, platform.routes.network());
  platform.hop_seconds = cost_model.hop_seconds;
  platform.burst_bytes = cost_model.burst_bytes;
  platform.incast_loss = cost_model.incast_loss;
  if (cost_model.crowded_network.empty()) return platform;
  // Both ends of a message share its work.
  const double longest = static_cast<double>(cost_model.crowded_network.back().bytes);
  const double shortest = cost_model.message_seconds(0);
  platform.cores = std::max(1, static_cast<int>(cost_model.ranks() / cost_model.ranks_per_core));
  platform.context_switch_seconds = cost_model.network_context_switch;
  platform.core_byte_seconds = (cost_model.message_seconds(longest) - shortest) / longest / 2;
  const double alone = cost_model.network.alpha - cost_model.context_switches_of_others();
  platform.between_nodes.latency =
      std::max(0.0, alone - cost_model.network_context_switch - shortest);
  platform.between_nodes.send_overhead = platform.between_nodes.receive_overhead = shortest / 2;
  return platform;
}

double edges_of(const Forest& forest) {
  double edges = 0;
  for (const Tree& tree : forest.trees) edges += static_cast<double>(tree.edges.size());
  return edges;
}

// Of one segment of every tree.
double transfers_of_a_segment(const Forest& forest) {
  return edges_of(forest) * (forest.flow == Flow::combine_then_multicast ? 2 : 1);
}

std::size_t segments_of(const Forest& forest, const Pipelining& pipelining) {
  const std::size_t longest = std::max<std::size_t>(longest_slice(forest), 1);
  const std::size_t bytes = std::clamp<std::size_t>(pipelining.segment_bytes, 1, longest);
  return (longest + bytes - 1) / bytes;
}

// Of a pipeline some of whose first segments were run: as each took that came in the second half of
// them, so the others will.
struct Begun {
  std::size_t half = 0;
  double half_seconds = 0;
  std::size_t most = 0;
  double most_seconds = 0;

  double each() const { return (most_seconds - half_seconds) / static_cast<double>(most - half); }
  double after(std::size_t segments) const {
    return half_seconds + each() * static_cast<double>(segments - half);
  }
};

// The first `count` of the `segments` that the longest slice has, and as large a part of the
// others: all trees end together, as they would.
Forest cut_off(Forest forest, std::size_t count, std::size_t segments) {
  const double part = static_cast<double>(count) / static_cast<double>(segments);
  for (Tree& tree : forest.trees) {
    const double bytes = std::ceil(part * static_cast<double>(tree.slice.bytes));
    tree.slice.bytes = std::min(tree.slice.bytes, static_cast<std::size_t>(bytes));
  }
  return forest;
}

// How long a call takes whose transfers these are. Where links catch up, the first of many finds
// them rested, and the others do not: then it is the second, which add(transfers) adds.
template <class Add>
double seconds_of_call(Transfers& transfers, const Add& add, const Platform& platform) {
  const double first = simulate(transfers.graph(), platform).seconds;
  if (platform.burst_bytes == 0) return first;
  transfers.meet();
  add(transfers);
  return simulate(transfers.graph(), platform).seconds - first;
}

class ForestPrice {
 public:
  ForestPrice(const Forest& forest, const Pipelining& pipelining, const GroupCostModel& cost_model,
              double most_transfers)
      : forest_(forest),
        pipelining_(pipelining),
        surroundings_(cost_model),
        most_transfers_(most_transfers),
        combine_seconds_per_byte_(forest.flow == Flow::multicast ? 0 : cost_model.node.beta),
        platform_(platform_of(cost_model)),
        steady_(platform_),
        segments_(segments_of(forest, pipelining)),
        transfers_(transfers_of_a_segment(forest)) {
    platform_.earliest_first = steady_.earliest_first = pipelining.sends_at_a_time > 0;
    steady_.burst_bytes = 0;
  }

  double price() const {
    if (platform_.cores > 0) return seconds();
    return std::max(seconds(), surroundings_.core_seconds(messages_of(forest_, pipelining_),
                                                          bytes_of(forest_)));
  }

 private:
  double seconds() const {
    const auto affordable = static_cast<std::size_t>(most_transfers_ / std::max(transfers_, 1.0));
    constexpr std::size_t least = 4;
    const std::size_t most = std::max(affordable, least);
    if (segments_ <= most) return call_of(forest_);
    const std::size_t half = most / 2;
    const SimulatedRun run = steady_run_of_first(most);
    const double link = run.busiest_link_seconds / static_cast<double>(most);
    const Begun begun{half, steady_run_of_first(half).seconds, most, run.seconds};
    const double each = std::max(begun.each(), link);
    const auto after = [&](double seconds_of_most) {
      return seconds_of_most + each * static_cast<double>(segments_ - most);
    };
    // What idle links let through at once hides that a pipeline has to fill, but is no part of the
    // rate that it goes on with. Where the busiest link is never idle, there is nothing to hide.
    const double busiest = link * static_cast<double>(segments_);
    const double at_once = platform_.burst_bytes * platform_.between_nodes.byte_gap;
    const double all_hidden = after(run.seconds) - at_once;
    if (all_hidden <= busiest || at_once == 0) return std::max(all_hidden, busiest);
    return std::max(after(call_of(cut_off(forest_, most, segments_))), busiest);
  }

  double call_of(const Forest& forest) const {
    const auto add = [&](Transfers& to) { to.add(forest, pipelining_, combine_seconds_per_byte_); };
    Transfers transfers(forest.ranks);
    add(transfers);
    return seconds_of_call(transfers, add, platform_);
  }

  SimulatedRun steady_run_of_first(std::size_t segments) const {
    Transfers transfers(forest_.ranks);
    transfers.add(cut_off(forest_, segments, segments_), pipelining_, combine_seconds_per_byte_);
    return simulate(transfers.graph(), steady_);
  }

  const Forest& forest_;
  const Pipelining& pipelining_;
  const GroupCostModel& surroundings_;
  double most_transfers_;
  double combine_seconds_per_byte_;
  Platform platform_;
  Platform steady_;  ///< the same without anything to catch up
  std::size_t segments_;
  double transfers_;  ///< of one segment of every tree
};

}  // namespace

double simulated_seconds(const Forest& forest, const Pipelining& pipelining,
                         const GroupCostModel& cost_model, double most_transfers) {
  return ForestPrice(forest, pipelining, cost_model, most_transfers).price();
}

double simulated_seconds(const Rounds& rounds, const Conditions& conditions,
                         const Pipelining& pipelining, const GroupCostModel& cost_model) {
  Platform platform = platform_of(cost_model);
  platform.earliest_first = pipelining.sends_at_a_time > 0;
  const auto add = [&](Transfers& to) {
    to.add(rounds, conditions, pipelining, cost_model.node.beta);
  };
  Transfers transfers(rounds.ranks);
  add(transfers);
  const auto messages = static_cast<double>(transfers.graph().size());
  double bytes = 0;
  for (const Transfer& transfer : transfers.graph().transfers()) bytes += transfer.bytes;
  const double seconds = seconds_of_call(transfers, add, platform);
  if (platform.cores > 0) return seconds;
  return std::max(seconds, cost_model.core_seconds(messages, bytes));
}

double messages_of(const Forest& forest, const Pipelining& pipelining) {
  return transfers_of_a_segment(forest) * static_cast<double>(segments_of(forest, pipelining));
}

double bytes_of(const Forest& forest) {
  double bytes = 0;
  for (const Tree& tree : forest.trees)
    bytes += static_cast<double>(tree.edges.size()) * static_cast<double>(tree.slice.bytes);
  return bytes * (forest.flow == Flow::combine_then_multicast ? 2 : 1);
}

std::size_t longest_slice(const Forest& forest) {
  std::size_t longest = 0;
  for (const Tree& tree : forest.trees) longest = std::max(longest, tree.slice.bytes);
  return longest;
}

namespace {

// A block from each rank to each or, for algorithms that number them so, one for each distance.
Conditions alltoall_contract(const Call& call, bool by_distance) {
  const int ranks = call.ranks();
  const std::size_t bytes = call.bytes() / static_cast<std::size_t>(ranks);
  Conditions conditions{ranks, {}};
  for (int distance = by_distance ? 0 : 1; distance < ranks; ++distance) {
    for (int rank = 0; rank < (by_distance ? 1 : ranks); ++rank)
      conditions.blocks.push_back(
          {{conditions.blocks.size() * bytes, bytes}, rank, (rank + distance) % ranks});
  }
  return conditions;
}

// Bytes of a block per rank; equal ones in a call without buffers, of which only the length is
// known.
std::vector<std::size_t> bytes_of_blocks(const Call& call, const BlockList& blocks) {
  const auto parts = static_cast<std::size_t>(call.ranks());
  std::vector<std::size_t> bytes =
      blocks.counts.empty() ? std::vector(parts, call.collective.count / parts) : blocks.counts;
  for (std::size_t& count : bytes) count *= call.element_bytes();
  return bytes;
}

}  // namespace

Conditions contract_of(const Call& call, const Algorithm& algorithm) {
  const Collective& collective = call.collective;
  const int ranks = call.ranks();
  // Of a gather or scatter ranks know their own block.
  const auto own = [&] {
    return std::vector<std::size_t>(static_cast<std::size_t>(ranks), call.bytes());
  };
  switch (collective.operation) {
    case Operation::broadcast: return Conditions::broadcast(ranks, call.bytes(), collective.root);
    case Operation::reduce: return Conditions::reduce(ranks, call.bytes(), collective.root);
    case Operation::allreduce:
    case Operation::scan:
    case Operation::exscan: return Conditions::allreduce(ranks, call.bytes());
    case Operation::allgather:
      return Conditions::allgather(bytes_of_blocks(call, collective.output_blocks));
    case Operation::reduce_scatter:
      return Conditions::reduce_scatter(bytes_of_blocks(call, collective.input_blocks));
    case Operation::gather: return Conditions::gather(own(), collective.root);
    case Operation::scatter: return Conditions::scatter(own(), collective.root);
    case Operation::alltoall: return alltoall_contract(call, algorithm.distances != nullptr);
    case Operation::barrier: break;
  }
  return {ranks, {}};
}

namespace {

// Whether every edge is a cable, and none carries two trees the same way.
bool have_cables_of_their_own(const Forest& forest, const Shape& shape) {
  std::unordered_set<std::int64_t> used;
  for (const Tree& tree : forest.trees) {
    for (const auto& [parent, child] : tree.edges) {
      if (shape.distance(parent, child) != 1) return false;
      if (!used.insert(static_cast<std::int64_t>(parent) * shape.nodes() + child).second)
        return false;
    }
  }
  return true;
}

// The first segments of a forest of cables of their own, by recurrence.
double pipeline_seconds(const Forest& forest, const Pipelining& pipelining,
                        const GroupCostModel& cost_model, std::size_t first) {
  std::vector<PipelinedTree> trees;
  for (const Tree& tree : cut_off(forest, first, segments_of(forest, pipelining)).trees) {
    if (tree.slice.bytes == 0) continue;
    PipelinedTree& pipelined =
        trees.emplace_back(PipelinedTree{tree.root, {}, static_cast<double>(tree.slice.bytes)});
    pipelined.edges.reserve(tree.edges.size());
    for (const auto& [parent, child] : tree.edges) pipelined.edges.push_back({parent, child});
  }
  const TreeFlow flow = forest.flow == Flow::multicast ? TreeFlow::outwards
                        : forest.flow == Flow::combine ? TreeFlow::inwards
                                                       : TreeFlow::inwards_then_outwards;
  const double combine = forest.flow == Flow::multicast ? 0 : cost_model.node.beta;
  return tree_pipeline_seconds(forest.ranks, trees, flow,
                               {.bytes = static_cast<double>(pipelining.segment_bytes),
                                .combine_seconds_per_byte = combine,
                                .in_flight = pipelining.segments_in_flight},
                               between_nodes_of(cost_model));
}

double long_pipeline_seconds(const Forest& forest, const Pipelining& pipelining,
                             const GroupCostModel& cost_model) {
  constexpr double most_steps = 1e8;
  const std::size_t segments = segments_of(forest, pipelining);
  const std::size_t most =
      std::max<std::size_t>(static_cast<std::size_t>(most_steps / (edges_of(forest) + 1)), 8);
  const auto seconds_of_first = [&](std::size_t count) {
    return pipeline_seconds(forest, pipelining, cost_model, count);
  };
  if (segments <= most) return seconds_of_first(segments);
  const std::size_t half = most / 2;
  return Begun{half, seconds_of_first(half), most, seconds_of_first(most)}.after(segments);
}

}  // namespace

std::optional<double> simulated_seconds(const Call& call, const Algorithm& algorithm,
                                        const Settings& settings) {
  constexpr double most_transfers = 2e5;
  constexpr double most_edges = 1e5;
  // Every block has a tree or a message of each rank's: as many as ranks' squares.
  constexpr int most_ranks_with_blocks = 256;
  const GroupNodes& nodes = call.cost_model.nodes;
  const bool rooted = call.operation() == Operation::broadcast ||
                      call.operation() == Operation::reduce ||
                      call.operation() == Operation::allreduce;
  if (nodes.nodes() < 2 || nodes.nodes() != call.ranks() || call.bytes() == 0) return std::nullopt;
  if (!nodes.shape && !nodes.network) return std::nullopt;
  if (!rooted && call.ranks() > most_ranks_with_blocks) return std::nullopt;
  Conditions conditions = contract_of(call, algorithm);
  if (algorithm.pieces != nullptr) {
    if (call.ranks() > most_ranks_with_blocks) return std::nullopt;
    conditions = in_pieces_of(algorithm, call, std::move(conditions), settings);
  }
  const ForestOrRounds how = algorithm.build(call, conditions, settings);
  if (const auto* rounds = std::get_if<Rounds>(&how))
    return simulated_seconds(*rounds, conditions, settings.pipelining, call.cost_model);
  const Forest& forest = std::get<Forest>(how);
  const double edges = edges_of(forest);
  constexpr double few_edges = 4096;
  const bool alike = nodes.axis_bytes_per_second.empty();
  if (edges > few_edges && nodes.shape && alike && have_cables_of_their_own(forest, *nodes.shape))
    return long_pipeline_seconds(forest, settings.pipelining, call.cost_model);
  if (edges > most_edges) return std::nullopt;
  return simulated_seconds(forest, settings.pipelining, call.cost_model, most_transfers);
}

}  // namespace cuboid::detail
