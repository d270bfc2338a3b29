#include "collectives/selection/evaluator.hpp"

#include "collectives/schedules/transfers.hpp"
#include "collectives/selection/board_seconds.hpp"
#include "collectives/selection/forest_segments.hpp"
#include "collectives/selection/simulated_platform.hpp"

#include <algorithm>

namespace cuboid::detail {

namespace {

// A message of more bursts than this hardly gains by the bytes that idle links let through at once.
constexpr double bursts_that_matter = 4;

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

bool Evaluator::is_of_all(const Forest& forest, const Pipelining& pipelining) const {
  return segments_of(forest, pipelining) <= most_segments(forest);
}

double Evaluator::seconds(const Forest& forest, const Pipelining& pipelining) {
  set(pipelining);
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

double Evaluator::seconds(const Rounds& rounds, const Conditions& conditions,
                          const Pipelining& pipelining) {
  set(pipelining);
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

double Evaluator::least_seconds(const Rounds& rounds, const Conditions& conditions,
                                const Pipelining& pipelining) {
  return least_.of(rounds, conditions, pipelining, combine_seconds_per_byte(Flow::combine));
}

}  // namespace cuboid::detail
