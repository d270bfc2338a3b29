#include "collectives/selection/large_groups.hpp"

#include "collectives/evaluation/segments.hpp"
#include "collectives/selection/asked_rounds.hpp"
#include "collectives/selection/asked_trees.hpp"
#include "collectives/selection/modelled_call.hpp"
#include "collectives/selection/node_work.hpp"
#include "collectives/selection/schedule_sizes.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <variant>

namespace cuboid::detail {

namespace {

constexpr double too_long = std::numeric_limits<double>::infinity();

// A rank's plan with this number of messages takes about 16 MB. An algorithm with more messages is
// chosen only if no other algorithm serves.
constexpr double most_messages_of_a_rank = 32'768;

bool shares_cores_of_a_node(const Call& call) {
  return call.on_one_node() && call.cost_model.ranks_per_core > 1;
}

// Finds the best segments: whole slices, halves, quarters and so on. Returns their seconds.
template <class Seconds>
double with_the_best_segments(const Call& call, std::size_t slice, std::size_t least,
                              Pipelining& pipelining, const Seconds& seconds_of) {
  double best = too_long;
  const Pipelining usual = pipelining;
  for (std::size_t bytes = std::min(slice, greatest_segment_of(call));; bytes /= 2) {
    const Pipelining now = in_segments(call, usual, slice, bytes);
    const double seconds = seconds_of(now);
    if (seconds < best) {
      best = seconds;
      pipelining = now;
    }
    if (bytes / 2 < least) return best;
  }
}

// True if all ranks know the lengths of all blocks, so that a choice may depend on them.
bool is_known_to_all(const Call& call) {
  switch (call.operation()) {
    case Operation::gather:
    case Operation::scatter: return false;
    case Operation::alltoall: return call.collective.equal_blocks;
    default: return true;
  }
}

// Predicted seconds on one node, from the whole schedule.
double on_one_node(const Call& call, const Algorithm& algorithm, Settings& settings) {
  const Conditions whole = conditions_of(call, algorithm);
  const Conditions conditions = in_pieces_of(algorithm, call, whole, settings);
  const ForestOrRounds how = algorithm.build(call, whole, settings);
  if (const auto* plan = std::get_if<BoardPlan>(&how))
    return board_seconds(*plan, conditions, settings.pipelining, call);
  if (const auto* rounds = std::get_if<Rounds>(&how))
    return seconds_on_shared_cores(call, *rounds, conditions, settings.pipelining);
  const auto& forest = std::get<Forest>(how);
  if (!is_known_to_all(call))
    return seconds_on_shared_cores(call, forest, settings.pipelining.segment_bytes);
  return with_the_best_segments(
      call, std::max<std::size_t>(longest_slice(forest), 1), least_segment, settings.pipelining,
      [&](const Pipelining& pipelining) {
        return seconds_on_shared_cores(call, forest, pipelining.segment_bytes);
      });
}

double of_trees(const Call& call, const Algorithm& algorithm, Settings& settings,
                const Conditions& conditions, double bar, double most_messages) {
  AskedTrees trees(call, algorithm, settings, conditions);
  if (trees.are_too_much(bar, most_messages)) return too_long;
  const std::size_t of_all_roots =
      trees.longest_slice() * static_cast<std::size_t>(std::max(settings.roots, 1));
  const std::size_t least = std::max(least_segment_of(call), of_all_roots / most_segments);
  return with_the_best_segments(
      call, trees.longest_slice(), least, settings.pipelining,
      [&](const Pipelining& pipelining) { return trees.seconds(pipelining.segment_bytes); });
}

// The messages that a rank has in trees: at least one for each block.
double messages_of_trees(const Settings& settings, const Conditions& conditions) {
  return static_cast<double>(conditions.blocks.size()) * std::max(settings.roots, 1);
}

double messages_of(std::span<const RoundLoad> loads) {
  double messages = 0;
  for (const RoundLoad& load : loads) messages += load.times * load.messages;
  return messages;
}

double of_common(const Call& call, const SymmetricRounds& rounds, const Settings& settings) {
  const double all = call.ranks();
  return std::max(rounds.seconds(settings.pipelining.sends_at_a_time > 0),
                  call.core_seconds(all * rounds.messages(), all * rounds.bytes()));
}

double of_loads(const Call& call, std::span<const RoundLoad> loads) {
  double bytes = 0;
  for (const RoundLoad& load : loads) bytes += load.times * load.received;
  const double all = call.ranks();
  return std::max(seconds_in_lockstep(call, loads),
                  call.core_seconds(all * messages_of(loads), all * bytes));
}

// True if ranks must be asked for their parts, because the algorithm has neither symmetric rounds
// nor loads.
bool is_asked(const Algorithm& algorithm) {
  return algorithm.symmetric == nullptr && algorithm.loads == nullptr;
}

// True if an algorithm builds trees, whatever its settings. The last rank, counted from the root,
// is asked, because its part is the smallest.
bool is_of_trees(const Call& call, const Algorithm& algorithm, const Settings& settings,
                 const Conditions& conditions) {
  if (algorithm.pieces != nullptr || algorithm.distances != nullptr) return false;
  Conditions few{conditions.ranks, {}};
  if (!conditions.blocks.empty()) few.blocks.push_back(conditions.blocks.front());
  const int rank = (call.collective.root + call.ranks() - 1) % call.ranks();
  return std::holds_alternative<ForestPart>(algorithm.part(call, few, settings, rank));
}

class LargeGroup {
 public:
  LargeGroup(const Call& call, double most_messages) : call_(call), most_messages_(most_messages) {}

  /// Adds an algorithm with each of its settings that is predicted to take less than `most_times`
  /// times the seconds of the fastest so far.
  void add(const Algorithm& algorithm, double most_times) {
    of_trees_.reset();
    std::vector<Settings> all = algorithm.settings(call_);
    // Settings that use more links at once are more often the fastest.
    std::ranges::reverse(all);
    for (Settings& settings : all) {
      settings.pipelining.segment_bytes = whole_elements(call_, settings.pipelining.segment_bytes);
      const double bar = most_times * fastest_;
      const double seconds = evaluate(algorithm, settings, bar);
      if (seconds >= bar) continue;
      choices_.push_back({&algorithm, settings, seconds});
      fastest_ = std::min(fastest_, seconds);
    }
  }

  /// All choices that are still within the bar, the fastest first.
  std::vector<Choice> choices(double most_times) && {
    std::erase_if(choices_, [bar = most_times * fastest_](const Choice& choice) {
      return choice.seconds > bar;
    });
    std::ranges::stable_sort(choices_, {}, &Choice::seconds);
    return std::move(choices_);
  }

 private:
  // Predicts the seconds with these settings, and chooses segments. The prediction may stop early
  // for settings that cannot take less than the bar.
  double evaluate(const Algorithm& algorithm, Settings& settings, double bar) {
    if (algorithm.on_board || shares_cores_of_a_node(call_))
      return on_one_node(call_, algorithm, settings);
    if (algorithm.symmetric != nullptr) {
      if (const auto rounds = algorithm.symmetric(call_, settings)) {
        if (rounds->messages() > most_messages_) return too_long;
        return of_common(call_, *rounds, settings);
      }
    }
    if (algorithm.loads != nullptr) {
      const auto loads = algorithm.loads(call_, settings);
      return messages_of(loads) > most_messages_ ? too_long : of_loads(call_, loads);
    }
    if (!conditions_) conditions_ = conditions_of(call_, algorithm);
    if (!of_trees_) of_trees_ = is_of_trees(call_, algorithm, settings, *conditions_);
    if (*of_trees_) {
      if (messages_of_trees(settings, *conditions_) > most_messages_) return too_long;
      return of_trees(call_, algorithm, settings, *conditions_, bar, most_messages_);
    }
    return seconds_of_asked_rounds(call_, algorithm, settings, *conditions_);
  }

  const Call& call_;
  double most_messages_;  // of a rank
  double fastest_ = too_long;
  std::vector<Choice> choices_ = {};
  std::optional<Conditions> conditions_;  // for algorithms whose ranks are asked
  std::optional<bool> of_trees_;          // true if the current algorithm builds trees
};

std::vector<Choice> choices(const Call& call, std::span<const Algorithm* const> algorithms,
                            double most_times_the_fastest, double most_messages) {
  LargeGroup group(call, most_messages);
  for (const bool asked : {false, true}) {
    for (const Algorithm* algorithm : algorithms) {
      if (is_asked(*algorithm) == asked) group.add(*algorithm, most_times_the_fastest);
    }
  }
  return std::move(group).choices(most_times_the_fastest);
}

}  // namespace

std::vector<Choice> choices_in_large_group(const Call& call,
                                           std::span<const Algorithm* const> algorithms,
                                           double most_times_the_fastest) {
  constexpr double any_number = std::numeric_limits<double>::infinity();
  auto all = choices(call, algorithms, most_times_the_fastest, most_messages_of_a_rank);
  return all.empty() ? choices(call, algorithms, most_times_the_fastest, any_number) : all;
}

std::vector<Choice> best_of_each_in_large_group(const Call& call,
                                                std::span<const Algorithm* const> algorithms) {
  std::vector<Choice> all = choices_in_large_group(call, algorithms);
  std::set<const Algorithm*> seen;
  std::erase_if(all, [&](const Choice& choice) { return !seen.insert(choice.algorithm).second; });
  return all;
}

std::optional<Choice> fastest_in_large_group(const Call& call,
                                             std::span<const Algorithm* const> algorithms) {
  const std::vector<Choice> best = choices_in_large_group(call, algorithms, 1);
  return best.empty() ? std::nullopt : std::optional(best.front());
}

}  // namespace cuboid::detail
