#include "collectives/selection/selection.hpp"

#include <cuboid/error.hpp>

#include "collectives/selection/simulated_cost.hpp"

#include <algorithm>
#include <limits>

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

// In a scatter and an all-gather every rank sends in every round, by trees a few messages. Where
// messages go through the kernel, each takes cores that others may need, unknown to the price: with
// 16 nodes emulated on two cores 128 KiB took 4.7 ms so, 2.5 by trees.
bool sends_too_much(const Call& call, const Algorithm& algorithm) {
  constexpr double latency_of_kernels = 10e-6;
  return call.cost_model.network.alpha > latency_of_kernels &&
         &algorithm == find_algorithm("scatter_allgather");
}

// The algorithms' own prices, the cheapest first.
// @param demanded  nullptr if none is.
std::vector<Choice> by_formula(const Call& call, const Algorithm* demanded) {
  const Collective& collective = call.collective;
  std::vector<Choice> served;
  for (const Algorithm& algorithm : algorithms()) {
    if (!algorithm.serves(collective.operation)) continue;
    if (!keeps_what_the_reduction_needs(algorithm, collective)) continue;
    if (&algorithm != demanded && sends_too_much(call, algorithm)) continue;
    if (const auto estimate = algorithm.price(call))
      served.push_back({&algorithm, estimate->settings, estimate->seconds});
  }
  std::ranges::stable_sort(served, {}, &Choice::seconds);
  return served;
}

// Between hosts behind switches short messages leave their root one right after the other, while
// the flat tree's formula has a latency for each.
bool is_overpriced(const Call& call, const Algorithm& algorithm) {
  const GroupNodes& nodes = call.cost_model.nodes;
  const bool switched = !nodes.shape && nodes.network && nodes.network->nodes() > nodes.nodes();
  return switched && &algorithm == find_algorithm("flat");
}

// Simulates algorithms, the cheapest by formula first, up to those whose formula is `hopeless`
// times the cheapest, or exceeds the best simulated time if that is more.
std::vector<Choice> simulated(const Call& call, double hopeless, const Algorithm* demanded) {
  std::vector<Choice> served = by_formula(call, demanded);
  double best = std::numeric_limits<double>::infinity();
  const double cheapest = served.empty() ? 0 : served.front().seconds;
  for (Choice& choice : served) {
    const bool too_dear = choice.seconds > hopeless * std::max(cheapest, best);
    if (too_dear && !is_overpriced(call, *choice.algorithm)) continue;
    if (const auto estimate =
            simulated_cost(call, *choice.algorithm, {choice.settings, choice.seconds})) {
      choice.settings = estimate->settings;
      choice.seconds = estimate->seconds;
    }
    best = std::min(best, choice.seconds);
  }
  std::ranges::stable_sort(served, {}, &Choice::seconds);
  return served;
}

// Predictions are not accurate to a percent: among algorithms as good as the cheapest, the first in
// the table is taken.
const Choice& best_of(const std::vector<Choice>& served) {
  constexpr double as_good = 1.03;
  const Choice* best = &served.front();
  for (const Choice& choice : served) {
    if (choice.seconds > as_good * served.front().seconds) break;
    if (choice.algorithm < best->algorithm) best = &choice;
  }
  return *best;
}

}  // namespace

std::vector<Choice> choices(const Collective& collective, const GroupCostModel& cost_model) {
  return simulated({collective, cost_model}, std::numeric_limits<double>::infinity(), nullptr);
}

Choice select(const Collective& collective, const GroupCostModel& cost_model,
              const AlgorithmRules& rules) {
  // On tori and meshes formulas know which links are shared, and are off by less than a quarter.
  // Elsewhere most are too low, but that of packed trees was seen at more than twice what short
  // messages take.
  const double hopeless = cost_model.nodes.shape ? 1.6 : 3;
  const Call call{collective, cost_model};
  const Algorithm* demanded = rules.demanded(collective.operation, call.bytes());
  const std::vector<Choice> served = simulated(call, hopeless, demanded);
  if (demanded == nullptr) return best_of(served);
  const auto found = std::ranges::find(served, demanded, &Choice::algorithm);
  // Ranks that exchange blocks of their own lengths know no length in common: a rule for some
  // lengths is not all ranks' rule.
  const bool uneven = collective.operation == Operation::alltoall && !collective.equal_blocks;
  if (found == served.end() && (uneven || !rules.strict())) {
    Choice choice = best_of(served);
    choice.instead_of = demanded;
    return choice;
  }
  if (found == served.end()) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: the algorithm {} cannot serve this group or this reduction; give "
                            "one of {}, or none",
                            describe(collective), demanded->name, names_of(served)));
  }
  return *found;
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
