#include "collectives/prices/swing_seconds.hpp"

#include "collectives/rounds/butterfly_links.hpp"
#include "collectives/rounds/fold.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace cuboid::detail {

namespace {

// Where ranks do not go in step, part of a round's sends wait for the last message of the round
// before.
constexpr double part_waited_for = 0.75;
// Rings of some axes are round before those of others, whose messages then have their links alone.
constexpr double part_idling_on_unequal_rings = 0.2;
// Where pieces lie apart, some rounds are of fewer messages: arcs do not all reach equally far.
constexpr double part_of_pieces_apart = 0.8;
// What those beyond a core get from several at once delays what these send each other.
constexpr double part_of_folded = 1.25;
// Of what travels while all gather, at most so much is delayed by nodes that were reached early.
constexpr double part_delayed_by_early_ones = 0.7;
// What a node that passes on one butterfly's message waits for another's.
constexpr double part_of_others = 0.5;

}  // namespace

void SwingPrices::StepLoad::add(const StepLoad& fold, double weight) {
  received += fold.received;
  on_link += weight * fold.on_link;
  farthest = std::max(farthest, fold.farthest);
}

SwingPrices::SwingPrices(const Call& call, std::span<const Butterfly> butterflies)
    : call_(call),
      at_once_(static_cast<double>(butterflies.size())),
      is_rooted_(call.flow() != Flow::combine_then_multicast),
      is_packed_(butterflies.front().scatters_pieces()),
      has_unequal_rings_(butterflies.front().steps.front().passes_on() &&
                         of_mixed_radices(*call.cost_model.nodes.shape)) {
  const bool both_ways =
      butterflies.size() > 1 && butterflies[0].direction != butterflies[1].direction;
  const std::size_t ways = both_ways ? 2 : 1;
  std::map<std::pair<int, int>, StepLoad> known;  // by axis and number of the step along it
  for (std::size_t first = 0; first < butterflies.size(); first += ways) {
    const auto pair = butterflies.subspan(first, ways);
    auto& steps = pairs_.emplace_back();
    std::map<int, int> along;
    for (std::size_t s = 0; s < pair.front().steps.size(); ++s) {
      const ButterflyStep& step = pair.front().steps[s];
      // No axis has both a ring and other steps.
      const int number = step.passes_on() ? -1 : step.collects ? -2 : along[step.axis]++;
      const auto [found, is_new] = known.try_emplace({step.axis, number});
      if (is_new) found->second = load_of(pair, s);
      StepLoad load = found->second;
      load.number = static_cast<int>(s);
      if (first == 0 && step.is_meanwhile()) ++folds_;
      if (step.is_meanwhile()) {
        steps.back().add(load, call.flow() == Flow::multicast ? part_of_folded : 1);
      } else {
        steps.push_back(load);
      }
    }
  }
}

SwingPrices::StepLoad SwingPrices::load_of(std::span<const Butterfly> ways,
                                           std::size_t number) const {
  const Shape& shape = *call_.cost_model.nodes.shape;
  const ButterflyStep& step = ways.front().steps[number];
  StepLoad load;
  load.axis = step.axis;
  load.folds = step.is_fold();
  load.left = step.left();
  load.rounds = step.rounds();
  load.sent = step.radix - 1;
  // From several those beyond a core receive; or of several of them, who takes over.
  const int folded = call_.flow() == Flow::multicast ? step.parts : most_folded(step);
  load.received = step.passes_on() ? 2 : step.is_fold() ? folded : step.radix - 1;
  load.on_link = busiest_link(shape, ways, number);
  if (is_rooted_) load.from_first = busiest_link_from_first(shape, ways, number);
  load.farthest = farthest_links(shape, ways.front(), number);
  return load;
}

std::vector<SwingPrices::Load> SwingPrices::loads(int scattering) const {
  const auto axes = static_cast<std::size_t>(call_.cost_model.nodes.shape->dimensions());
  std::vector<double> left(pairs_.size(), static_cast<double>(call_.bytes()) / at_once_);
  std::size_t most_steps = 0;
  for (const auto& steps : pairs_) most_steps = std::max(most_steps, steps.size());
  std::vector<Load> loads(most_steps);
  for (std::size_t s = 0; s < most_steps; ++s) {
    Load& load = loads[s];
    std::vector<double> on_axis(axes, 0), from_first(axes, 0);
    for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
      if (s >= pairs_[pair].size()) continue;
      const StepLoad& step = pairs_[pair][s];
      const bool scatters = step.number < scattering;
      if (scatters) left[pair] *= step.left;
      if (scatters || step.folds) load.returns = true;
      const auto axis = static_cast<std::size_t>(step.axis);
      on_axis[axis] += step.rounds * step.on_link * left[pair];
      from_first[axis] += step.from_first * left[pair];
      load.rounds = std::max<double>(load.rounds, step.rounds);
      load.farthest = std::max(load.farthest, step.farthest);
      load.longest = std::max(load.longest, left[pair]);
      load.sent = std::max<double>(load.sent, step.sent);
      const double of_pair = at_once_ / static_cast<double>(pairs_.size());
      load.sent_by_root += of_pair * step.sent;
      load.messages += of_pair * step.received;
      load.received += of_pair * step.received * step.rounds * left[pair];
    }
    load.on_link = std::ranges::max(on_axis);
    load.from_first = std::ranges::max(from_first);
  }
  return loads;
}

double SwingPrices::latency(const Load& load) const {
  return call_.cost_model.slowest().alpha + call_.cost_model.hop_seconds * (load.farthest - 1);
}

double SwingPrices::travelling(const Load& load, double on_link) const {
  return std::max(call_.cost_model.slowest().beta * on_link,
                  call_.cost_model.injection_seconds(load.received));
}

SwingSeconds SwingPrices::seconds(int scattering) const {
  if (is_rooted_) return {seconds_of_root(scattering), folds_ == 0};
  return seconds_of_all(scattering);
}

// Messages that travel longer than they are handled go in step: else those of one way delay those
// of another, more than handling could hide. Along rings of unequal lengths all would wait for the
// longest.
SwingSeconds SwingPrices::seconds_of_all(int scattering) const {
  double in_step = 0, loose = 0, all_travelling = 0, all_handled = 0;
  for (const Load& load : loads(scattering)) {
    const double handled = load.rounds * call_.cost_model.network_overhead * load.messages;
    // The last message of a round leaves when all have been sent.
    const double until_last = overhead_of_an_end() * (load.messages - 1);
    const double on_way = travelling(load, load.on_link);
    const auto one_way = [&](double part) {
      return std::max(handled, load.rounds * (latency(load) + part * until_last) + on_way);
    };
    const double copied = is_packed_ ? (load.returns ? 4 : 2) * load.received : 0;
    const double ways = load.returns ? 2 : 1;
    const double in_memory = call_.cost_model.node.beta * (load.received + copied);
    in_step += ways * one_way(is_packed_ ? part_of_pieces_apart : 1) + in_memory;
    loose += ways * one_way(part_waited_for) + in_memory;
    all_travelling += ways * on_way;
    all_handled += ways * handled;
  }
  if (has_unequal_rings_)
    loose += part_idling_on_unequal_rings * std::max(all_travelling - all_handled, 0.0);
  const bool goes_in_step = is_packed_ || (!has_unequal_rings_ && all_travelling > all_handled);
  return {goes_in_step ? in_step : loose, goes_in_step};
}

// A broadcast; a reduce is the same backwards. First it spreads: the root sends for all
// butterflies, whoever is reached for one. Then all gather what was scattered.
double SwingPrices::seconds_of_root(int scattering) const {
  const double each = overhead_of_an_end();
  double root_busy = 0, from_root = 0, reached = 0, gathering = 0;
  double all_travelling = 0, all_handled = 0, further = 0;
  for (const Load& load : loads(scattering)) {
    const double alone = call_.cost_model.slowest().beta * load.longest;
    // The last message leaves when all have been sent; by then others are on their way.
    const auto one_way = [&](double messages, double on_link) {
      const double sending = each * (messages - 1);
      return latency(load) + std::max(sending + alone, sending / 2 + travelling(load, on_link));
    };
    const double combining =
        call_.flow() == Flow::combine ? call_.cost_model.node.beta * load.received : 0;
    root_busy += each * load.sent_by_root;
    from_root = root_busy - each + latency(load) + alone;
    const double sent = load.sent + (at_once_ > 1 ? part_of_others : 0);
    reached = std::max(reached + one_way(sent, load.from_first), from_root) + combining;
    further += latency(load) - call_.cost_model.slowest().alpha;
    if (!load.returns) continue;
    const double handled = call_.cost_model.network_overhead * load.messages;
    gathering += std::max(handled, one_way(load.messages, load.on_link)) + combining;
    all_travelling += travelling(load, load.on_link);
    all_handled += handled;
  }
  // Whoever is reached over fewer links gathers earlier, and delays others' messages.
  if (call_.flow() == Flow::multicast)
    gathering += std::min(further, part_delayed_by_early_ones * all_travelling);
  // Those beyond one axis have longer messages along the others, until they fold.
  if (folds_ > 1) gathering += (folds_ - 1) * std::max(all_travelling - all_handled, 0.0);
  // The last that the root sends come where those of all butterflies do.
  return std::max(reached, from_root + each * (at_once_ - 1)) + gathering;
}

}  // namespace cuboid::detail
