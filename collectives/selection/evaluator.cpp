#include "collectives/selection/evaluator.hpp"

#include "collectives/schedules/transfers.hpp"
#include "collectives/selection/node_work.hpp"
#include "collectives/selection/schedule_sizes.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

// The limit of what a node sends over all its cables; 0: no limit. If a measured rate is hardly
// less than the sum of the cables' rates, it is not a limit of the node.
double injection_limit(const GroupCostModel& cost_model, const Network& network) {
  constexpr double hardly_less = 0.9;
  std::size_t cables = 0;
  for (int node = 0; node < network.nodes(); ++node)
    cables = std::max(cables, network.links_from(node).size());
  const double all_cables = static_cast<double>(cables) / cost_model.network.beta;
  const double limit = cost_model.injection_bytes_per_second;
  return limit < hardly_less * all_cables ? limit : 0;
}

Network one_switch(int hosts) {
  Network network;
  for (int host = 0; host < hosts; ++host) network.add_node(fmt::format("{}", host));
  if (hosts == 1) return network;
  const int centre = network.add_node("switch", Role::network_switch);
  for (int host = 0; host < hosts; ++host) network.add_cable(host, centre);
  return network;
}

Routes routes_of(const GroupNodes& nodes) {
  if (nodes.shape) return Routes::dimension_ordered(*nodes.shape, nodes.axis_bytes_per_second);
  return Routes::shortest(nodes.network ? *nodes.network : one_switch(nodes.nodes()));
}

// Messages through a node's memory. The overhead is divided between both ends.
LogGP messages_through(const NodeMemory& memory) {
  return {.latency = std::max(0.0, memory.message.alpha - memory.overhead),
          .send_overhead = memory.overhead / 2,
          .receive_overhead = memory.overhead / 2,
          .byte_gap = memory.message.beta};
}

void set_node(Platform& platform, const GroupCostModel& cost_model, double bytes) {
  const NodeMemory memory = cost_model.memory(2 * bytes, bytes);
  platform.within_node = messages_through(memory);
  const double reader = 1 / memory.message.beta;
  const double source = cost_model.source_bytes_per_second;
  platform.source_bytes_per_second = source > 0 ? source : usual_readers.of_one_source * reader;
  const double of_a_node = static_cast<double>(cost_model.ranks()) / cost_model.nodes.nodes() /
                           cost_model.ranks_per_core;
  platform.memory_bytes_per_second =
      memory.crowded_beta > 0 ? of_a_node / memory.crowded_beta : usual_readers.of_a_node * reader;
}

}  // namespace

Platform platform_of(const GroupCostModel& cost_model, double bytes) {
  const GroupNodes& nodes = cost_model.nodes;
  Platform platform{routes_of(nodes), nodes.node_of_rank(), cost_model.between_nodes(), {}};
  if (nodes.nodes() < nodes.ranks()) set_node(platform, cost_model, bytes);
  if (nodes.nodes() == 1) {
    if (cost_model.ranks_per_core <= 1) return platform;
    platform.cores = std::max(1, static_cast<int>(cost_model.ranks() / cost_model.ranks_per_core));
    platform.context_switch_seconds = cost_model.context_switch;
    return platform;
  }
  platform.injection_bytes_per_second = injection_limit(cost_model, platform.routes.network());
  platform.hop_seconds = cost_model.hop_seconds;
  platform.burst_bytes = cost_model.burst_bytes;
  platform.incast_loss = cost_model.incast_loss;
  if (cost_model.crowded_network.empty()) return platform;
  // Each end of a message does half of its work.
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

namespace {

// A message of more bursts than this hardly gains by the bytes that idle links let through at once.
constexpr double bursts_that_matter = 4;

// A beginning that shows how all chains, or all rounds, load the links is this much longer than the
// beginning of one pipeline.
constexpr double long_beginning = 4;

GroupCostModel rested(const Call& call) {
  GroupCostModel cost_model = call.cost_model;
  const double burst = cost_model.nodes.burst_bytes;
  if (cost_model.burst_bytes == 0 && burst > 0 &&
      static_cast<double>(call.bytes()) <= bursts_that_matter * burst)
    cost_model.burst_bytes = burst;
  return cost_model;
}

}  // namespace

Evaluator::Evaluator(const Call& call, double most_transfers)
    : call_(call),
      own_(rested(call)),
      most_transfers_(most_transfers),
      platform_(platform_of(own_, static_cast<double>(call.bytes()))),
      least_(platform_) {}

void Evaluator::set(const Pipelining& pipelining) {
  platform_.earliest_first = pipelining.sends_at_a_time > 0;
}

double Evaluator::on_cores(double seconds, double messages, double bytes) const {
  if (platform_.cores > 0 || call_.on_one_node()) return seconds;
  return std::max(seconds, own_.core_seconds(messages, bytes));
}

double Evaluator::combine_seconds_per_byte(Flow flow) const {
  if (flow == Flow::multicast) return 0;
  if (!call_.on_one_node()) return own_.node.beta;
  return own_.memory(static_cast<double>(call_.bytes())).combine_beta;
}

SimulatedRun Evaluator::run(const TransferGraph& graph) {
  SimulatedRun run = simulate(graph, platform_);
  operations_ += run.operations;
  return run;
}

// Simulates a call whose transfers add() adds, and returns its seconds. If links have burst credit,
// only the first of many calls finds them idle. Then the result is the seconds of a second call
// that follows the first.
template <class Add>
double Evaluator::seconds_of_call(int ranks, const Add& add) {
  Transfers transfers(ranks);
  add(transfers);
  const double first = run(transfers.graph()).seconds;
  if (platform_.burst_bytes == 0) return first;
  transfers.meet();
  add(transfers);
  return run(transfers.graph()).seconds - first;
}

double Evaluator::call_of(const Forest& forest, const Pipelining& pipelining) {
  const double combine = combine_seconds_per_byte(forest.flow);
  return seconds_of_call(forest.ranks, [&](Transfers& to) { to.add(forest, pipelining, combine); });
}

// A run without burst credit.
SimulatedRun Evaluator::steady_run(const Forest& first, const Pipelining& pipelining) {
  Transfers transfers(first.ranks);
  transfers.add(first, pipelining, combine_seconds_per_byte(first.flow));
  const double burst = std::exchange(platform_.burst_bytes, 0);
  SimulatedRun steady = run(transfers.graph());
  platform_.burst_bytes = burst;
  return steady;
}

std::size_t Evaluator::most_segments(const Forest& forest) const {
  constexpr std::size_t least = 4;
  const double of_a_segment = std::max(messages_of_a_segment(forest), 1.0);
  return std::max(static_cast<std::size_t>(most_transfers_ / of_a_segment), least);
}

// The edges of each chain that are simulated of so many chains that simulating all edges takes
// long.
std::size_t Evaluator::most_edges(const Forest& forest) const {
  constexpr std::size_t least = 16;
  const double edges = edges_of(forest);
  if (edges == 0) return least;
  const double trees = static_cast<double>(forest.trees.size());
  const double of_an_edge = trees * messages_of_a_segment(forest) / edges;
  return std::max(static_cast<std::size_t>(long_beginning * most_transfers_ / of_an_edge), least);
}

bool Evaluator::is_of_all(const Forest& forest, const Pipelining& pipelining) const {
  return segments_of(forest, pipelining) <= most_segments(forest);
}

// The seconds of chains, from the `edges` edges of each that are nearest to its root, and from half
// of these. All chains are under way from the beginning, so each further edge takes as long.
double Evaluator::of_chains(const Forest& forest, const Pipelining& pipelining, std::size_t edges) {
  const std::size_t half = edges / 2;
  const auto of_nearest = [&](std::size_t count) {
    return seconds(nearest_to_roots(forest, count), pipelining);
  };
  const double half_seconds = of_nearest(half);
  return PipelineStart{half, half_seconds, edges, of_nearest(edges)}.after(longest_tree(forest));
}

double Evaluator::seconds(const Forest& forest, const Pipelining& pipelining) {
  set(pipelining);
  const std::size_t nearest = most_edges(forest);
  if (nearest < longest_tree(forest) && platform_.burst_bytes == 0 && are_chains(forest)) {
    return std::max(of_chains(forest, pipelining, nearest), least_seconds(forest, pipelining));
  }
  const auto with_cores = [&](double seconds) {
    return on_cores(seconds, messages_of(forest, pipelining), bytes_of(forest));
  };
  const std::size_t segments = segments_of(forest, pipelining);
  const std::size_t most = most_segments(forest);
  if (segments <= most) return with_cores(call_of(forest, pipelining));
  const std::size_t half = most / 2;
  const SimulatedRun begin = steady_run(cut_off(forest, most, segments), pipelining);
  const double link = begin.busiest_link_seconds / static_cast<double>(most);
  const PipelineStart begun{half, steady_run(cut_off(forest, half, segments), pipelining).seconds,
                            most, begin.seconds};
  const double each = std::max(begun.each(), link);
  const double least_seconds = this->least_seconds(forest, pipelining);
  const auto after = [&](double seconds_of_most) {
    return std::max(seconds_of_most + each * static_cast<double>(segments - most), least_seconds);
  };
  // The burst of idle links hides the time in which a pipeline fills, but does not change its later
  // rate. If the busiest link is never idle, there is nothing to hide.
  const double busiest = link * static_cast<double>(segments);
  const double at_once = platform_.burst_bytes * platform_.between_nodes.byte_gap;
  const double all_hidden = after(begin.seconds) - at_once;
  if (all_hidden <= busiest || at_once == 0) return with_cores(std::max(all_hidden, busiest));
  return with_cores(std::max(after(call_of(cut_off(forest, most, segments), pipelining)), busiest));
}

// The seconds of a call, from a shorter call, of which each message has `share` of its bytes, and
// from half of that.
double Evaluator::of_longer_call(const Rounds& rounds, const Conditions& conditions,
                                 const Pipelining& pipelining, double share) {
  const auto of_share = [&](double part) {
    return call_of(rounds, shorter(conditions, part), pipelining);
  };
  const double seconds = of_share(share);
  return seconds + (seconds - of_share(share / 2)) * (1 - share) / (share / 2);
}

double Evaluator::seconds(const Rounds& rounds, const Conditions& conditions,
                          const Pipelining& pipelining) {
  set(pipelining);
  const auto most_of_a_run = static_cast<std::size_t>(long_beginning * most_transfers_);
  if (platform_.burst_bytes > 0 ||
      messages_of(rounds, conditions, pipelining, most_of_a_run) <= most_of_a_run)
    return call_of(rounds, conditions, pipelining);
  // Blocks that lie apart are messages of any length.
  const std::size_t least = messages_of(rounds, shorter(conditions, 0), pipelining);
  const std::size_t most = std::max(most_of_a_run, 2 * least);
  double share = 1;
  while (messages_of(rounds, shorter(conditions, share), pipelining, most) > most) share /= 2;
  if (share == 1) return call_of(rounds, conditions, pipelining);
  return std::max(of_longer_call(rounds, conditions, pipelining, share),
                  least_seconds(rounds, conditions, pipelining));
}

double Evaluator::call_of(const Rounds& rounds, const Conditions& conditions,
                          const Pipelining& pipelining) {
  double messages = 0;
  double bytes = 0;
  const double handling = combine_seconds_per_byte(Flow::combine);
  const double seconds = seconds_of_call(rounds.ranks, [&](Transfers& to) {
    to.add(rounds, conditions, pipelining, handling);
    if (messages > 0) return;  // these are counted already in the second call
    messages = static_cast<double>(to.graph().size());
    for (const Transfer& transfer : to.graph().transfers()) bytes += transfer.bytes;
  });
  return on_cores(seconds, messages, bytes);
}

double Evaluator::seconds(const BoardPlan& plan, const Conditions& conditions,
                          const Pipelining& pipelining) {
  return board_seconds(plan, conditions, pipelining, call_);
}

double Evaluator::least_seconds(const Forest& forest) {
  return least_.of(forest, combine_seconds_per_byte(forest.flow));
}

double Evaluator::least_seconds(const Forest& forest, const Pipelining& pipelining) {
  return least_.of(forest, pipelining, combine_seconds_per_byte(forest.flow));
}

double Evaluator::least_seconds(const Rounds& rounds, const Conditions& conditions) {
  return least_.of(rounds, conditions, combine_seconds_per_byte(Flow::combine));
}

double Evaluator::least_seconds(const Rounds& rounds, const Conditions& conditions,
                                const Pipelining& pipelining) {
  return least_.of(rounds, conditions, pipelining, combine_seconds_per_byte(Flow::combine));
}

}  // namespace cuboid::detail
