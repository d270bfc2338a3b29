#include "collectives/axis_prices/swing_seconds.hpp"

#include "collectives/butterflies/butterfly_links.hpp"
#include "collectives/butterflies/fold.hpp"

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

}  // namespace

void SwingPrices::StepLoad::add(const StepLoad& fold) {
  received += fold.received;
  on_link += fold.on_link;
  farthest = std::max(farthest, fold.farthest);
}

SwingPrices::SwingPrices(const Call& call, std::span<const Butterfly> butterflies)
    : call_(call),
      at_once_(static_cast<double>(butterflies.size())),
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
      if (step.is_meanwhile()) {
        steps.back().add(load);
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
  load.received = step.passes_on() ? 2 : step.is_fold() ? most_folded(step) : step.radix - 1;
  load.on_link = busiest_link(shape, ways, number);
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
    std::vector<double> on_axis(axes, 0);
    for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
      if (s >= pairs_[pair].size()) continue;
      const StepLoad& step = pairs_[pair][s];
      const bool scatters = step.number < scattering;
      if (scatters) left[pair] *= step.left;
      if (scatters || step.folds) load.returns = true;
      const auto axis = static_cast<std::size_t>(step.axis);
      on_axis[axis] += step.rounds * step.on_link * left[pair];
      load.rounds = std::max<double>(load.rounds, step.rounds);
      load.farthest = std::max(load.farthest, step.farthest);
      const double of_pair = at_once_ / static_cast<double>(pairs_.size());
      load.messages += of_pair * step.received;
      load.received += of_pair * step.received * step.rounds * left[pair];
    }
    load.on_link = std::ranges::max(on_axis);
  }
  return loads;
}

double SwingPrices::latency(const Load& load) const {
  return call_.cost_model.slowest().alpha + call_.cost_model.hop_seconds * (load.farthest - 1);
}

double SwingPrices::travelling(const Load& load) const {
  return std::max(call_.cost_model.slowest().beta * load.on_link,
                  call_.cost_model.injection_seconds(load.received));
}

// Messages that travel longer than they are handled go in step: else those of one way delay those
// of another, more than handling could hide. Along rings of unequal lengths all would wait for the
// longest.
SwingSeconds SwingPrices::seconds(int scattering) const {
  double in_step = 0, loose = 0, all_travelling = 0, all_handled = 0;
  for (const Load& load : loads(scattering)) {
    const double handled = load.rounds * call_.cost_model.network_overhead * load.messages;
    // The last message of a round leaves when all have been sent.
    const double until_last = overhead_of_an_end() * (load.messages - 1);
    const double on_way = travelling(load);
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

}  // namespace cuboid::detail
