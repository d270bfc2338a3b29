#include "collectives/selection/simulated_seconds.hpp"

#include "collectives/schedules/slices.hpp"
#include "collectives/schedules/transfers.hpp"
#include "collectives/selection/conditions_of.hpp"
#include "collectives/selection/forest_segments.hpp"
#include "collectives/selection/pipeline_recurrence.hpp"
#include "collectives/selection/simulated_platform.hpp"

#include <algorithm>
#include <variant>

namespace cuboid::detail {

namespace {

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
        transfers_(messages_of_a_segment(forest)) {
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
  Conditions conditions = conditions_of(call, algorithm);
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
    return recurrence_seconds(forest, settings.pipelining, call.cost_model);
  if (edges > most_edges) return std::nullopt;
  return simulated_seconds(forest, settings.pipelining, call.cost_model, most_transfers);
}

}  // namespace cuboid::detail
