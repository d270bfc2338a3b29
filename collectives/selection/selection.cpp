#include "collectives/selection/selection.hpp"

#include <cuboid/error.hpp>

#include "collectives/selection/candidates.hpp"
#include "collectives/selection/large_groups.hpp"
#include "collectives/types/board_layout.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

bool keeps_what_the_reduction_needs(const Algorithm& algorithm, const Collective& collective) {
  return !collective.reduction || collective.reduction->commutative() || algorithm.keeps_rank_order;
}

std::string names_of(const std::vector<Choice>& served) {
  std::vector<std::string_view> names;
  for (const Choice& choice : served) names.push_back(choice.algorithm->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// In a scatter with all-gather every rank sends in every round; with trees it sends a few messages.
// If nodes share cores, a rank's sends take core time that other ranks need: with 16 nodes emulated
// on two cores 128 KiB took 4.7 ms by this algorithm, 2.5 by trees.
bool sends_too_much(const Call& call, const Algorithm& algorithm) {
  return call.cost_model.ranks_per_core > 1 && call.cost_model.nodes.nodes() > 1 &&
         &algorithm == find_algorithm("scatter_allgather");
}

// A rank that runs out of rows waits for the other ranks to read. If ranks share cores, each such
// wait lasts until all of them have had a turn.
bool runs_out_of_rows(const Call& call, const Algorithm& algorithm) {
  constexpr std::size_t rows_of_a_segment = 2;
  return call.cost_model.ranks_per_core > 1 && algorithm.on_board &&
         call.bytes() > BoardLayout::rows / rows_of_a_segment * BoardLayout::longest;
}

std::vector<const Algorithm*> candidates_of(const Call& call, const Algorithm* demanded) {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : algorithms()) {
    if (demanded != nullptr && &algorithm != demanded) continue;
    if (!algorithm.serves(call.operation())) continue;
    if (!keeps_what_the_reduction_needs(algorithm, call.collective)) continue;
    if (demanded == nullptr && sends_too_much(call, algorithm)) continue;
    if (demanded == nullptr && runs_out_of_rows(call, algorithm)) continue;
    all.push_back(&algorithm);
  }
  return all;
}

// True if selection simulates the call. Within a node whose ranks share cores simulations mislead,
// because they do not know which messages need a switch between ranks. For example, four ranks on
// two cores took 67 us for a broadcast of 64 KiB with the algorithm that a simulation chose, and 26
// us with the algorithm chosen by the work of all ranks.
bool is_simulated(const Call& call) {
  const bool switches = call.on_one_node() && call.cost_model.ranks_per_core > 1;
  return !switches && are_few_messages(call);
}

std::optional<Choice> best_of(const Call& call, const Algorithm* demanded) {
  const std::vector<const Algorithm*> candidates = candidates_of(call, demanded);
  if (is_simulated(call)) {
    if (const auto choice = fastest(call, candidates)) return choice;
  }
  // Ranks that share cores would choose one after the other.
  if (call.cost_model.ranks_per_core <= 1 && are_moderately_many_messages(call)) {
    const auto predicted = choices_in_large_group(call, candidates, most_times_wrong);
    if (predicted.empty()) return std::nullopt;
    return fastest_of(call, predicted);
  }
  return fastest_in_large_group(call, candidates);
}

}  // namespace

std::vector<Choice> choices(const Collective& collective, const GroupCostModel& cost_model) {
  const Call call{collective, cost_model};
  const std::vector<const Algorithm*> candidates = candidates_of(call, nullptr);
  return is_simulated(call) ? best_of_each(call, candidates)
                            : best_of_each_in_large_group(call, candidates);
}

Choice select(const Collective& collective, const GroupCostModel& cost_model,
              const AlgorithmRules& rules) {
  const Call call{collective, cost_model};
  const Algorithm* demanded = rules.demanded(collective.operation, call.bytes());
  if (demanded == nullptr) return best_of(call, nullptr).value();
  if (auto choice = best_of(call, demanded)) {
    choice->demanded = demanded;
    return *choice;
  }
  // In an all-to-all with different blocks the ranks have no length in common, so a rule for some
  // lengths might apply on some ranks and not on others.
  const bool uneven = collective.operation == Operation::alltoall && !collective.equal_blocks;
  if (uneven || !rules.strict()) {
    Choice choice = best_of(call, nullptr).value();
    choice.demanded = demanded;
    return choice;
  }
  throw Error(
      ErrorCode::unsupported,
      fmt::format("{}: the algorithm {} cannot serve this group or this reduction; give "
                  "one of {}, or none",
                  describe(collective), demanded->name, names_of(choices(collective, cost_model))));
}

std::string describe(const Choice& choice) {
  const Settings& settings = choice.settings;
  std::string text(choice.algorithm->name);
  if (settings.colours > 1) text += fmt::format(", {} colours", settings.colours);
  if (settings.roots > 1) text += fmt::format(", {} roots", settings.roots);
  if (settings.radix > 2) text += fmt::format(", radix {}", settings.radix);
  if (settings.folding.rings > 0) text += fmt::format(", {} rings", settings.folding.rings);
  if (settings.folding.arcs > 1) text += fmt::format(" of {} arcs", settings.folding.arcs);
  if (settings.digits.radix > 2) text += fmt::format(", digits below {}", settings.digits.radix);
  if (settings.digits.axes > 1) text += fmt::format(", {} axes at once", settings.digits.axes);
  if (settings.digits.orders > 1)
    text += fmt::format(", {} orders of axes", settings.digits.orders);
  for (std::size_t level = 0; level + 1 < settings.levels.size(); ++level)
    text += fmt::format("{}{}", level == 0 ? ", " : "x", settings.levels[level].groups);
  if (settings.levels.size() > 1) text += " groups";
  return text + fmt::format(", segments of {} bytes", settings.pipelining.segment_bytes);
}

}  // namespace cuboid::detail
