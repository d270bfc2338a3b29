#include "collectives/algorithms/butterfly_loads.hpp"

#include "collectives/butterflies/butterfly_links.hpp"
#include "collectives/butterflies/fold.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace cuboid::detail {

void ButterflyLoads::ButterflyStepLoad::add(const ButterflyStepLoad& fold) {
  received += fold.received;
  content += fold.content;
  on_link += fold.on_link;
  farthest = std::max(farthest, fold.farthest);
}

ButterflyLoads::ButterflyLoads(const Call& call, std::span<const Butterfly> butterflies)
    : axes_(static_cast<std::size_t>(call.cost_model.nodes.shape->dimensions())),
      bytes_(static_cast<double>(call.bytes())),
      at_once_(static_cast<double>(butterflies.size())),
      is_packed_(butterflies.front().scatters_pieces()) {
  const bool both_ways =
      butterflies.size() > 1 && butterflies[0].direction != butterflies[1].direction;
  const std::size_t ways = both_ways ? 2 : 1;
  std::map<std::pair<int, int>, ButterflyStepLoad>
      known;  // by axis and number of the step along it
  for (std::size_t first = 0; first < butterflies.size(); first += ways) {
    const auto pair = butterflies.subspan(first, std::min(ways, butterflies.size() - first));
    auto& steps = pairs_.emplace_back();
    std::map<int, int> along;
    for (std::size_t s = 0; s < pair.front().steps.size(); ++s) {
      const ButterflyStep& step = pair.front().steps[s];
      // No axis has both a ring and other steps.
      const int number = step.passes_on() ? -1 : step.collects ? -2 : along[step.axis]++;
      const auto [found, is_new] = known.try_emplace({step.axis, number});
      if (is_new) found->second = load_of(*call.cost_model.nodes.shape, pair, s);
      ButterflyStepLoad load = found->second;
      load.number = static_cast<int>(s);
      if (step.is_overlapped()) {
        steps.back().add(load);
      } else {
        steps.push_back(load);
      }
    }
  }
}

namespace {

// The mean content of a round of a ring, as a number of messages with a piece for every arc.
// Shorter arcs have nothing to pass on in the last rounds.
double passed_on_in_a_round(const ButterflyStep& step) {
  double parts = 0;
  for (const RingArc& arc : step.arcs) parts += arc.up + arc.down;
  return parts / (static_cast<double>(step.arcs.size()) * step.rounds());
}

}  // namespace

ButterflyLoads::ButterflyStepLoad ButterflyLoads::load_of(const Shape& shape,
                                                          std::span<const Butterfly> ways,
                                                          std::size_t number) const {
  const ButterflyStep& step = ways.front().steps[number];
  ButterflyStepLoad load;
  load.axis = step.axis;
  load.folds = step.is_fold();
  load.left = step.left();
  load.rounds = step.rounds();
  load.received = step.passes_on() ? 2 : step.is_fold() ? most_folded(step) : step.radix - 1;
  load.content = step.passes_on() ? passed_on_in_a_round(step) : load.received;
  load.on_link = busiest_link(shape, ways, number);
  load.farthest = farthest_links(shape, ways.front(), number);
  return load;
}

std::vector<RoundLoad> ButterflyLoads::of(int scatter_steps) const {
  std::vector<double> left(pairs_.size(), bytes_ / at_once_);
  std::size_t most_steps = 0;
  for (const auto& steps : pairs_) most_steps = std::max(most_steps, steps.size());
  std::vector<RoundLoad> loads(most_steps);
  for (std::size_t s = 0; s < most_steps; ++s) {
    RoundLoad& load = loads[s];
    bool returns = false;
    std::vector<double> on_axis(axes_, 0);
    for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
      if (s >= pairs_[pair].size()) continue;
      const ButterflyStepLoad& step = pairs_[pair][s];
      const bool scatters = step.number < scatter_steps;
      if (scatters) left[pair] *= step.left;
      returns = returns || scatters || step.folds;
      on_axis[static_cast<std::size_t>(step.axis)] += step.on_link * left[pair];
      load.times = std::max<double>(load.times, step.rounds);
      load.links = std::max(load.links, step.farthest);
      // The messages of a pair of butterflies have the links of a direction for themselves, and
      // leave together.
      load.longest = std::max(load.longest, step.on_link * left[pair]);
      const double of_pair = at_once_ / static_cast<double>(pairs_.size());
      load.messages += of_pair * step.received;
      load.received += of_pair * step.content * left[pair];
    }
    load.on_link = std::ranges::max(on_axis);
    // Half of what goes forwards and backwards is combined. Where pieces are not consecutive,
    // sender and receiver copy.
    const double ways = returns ? 2 : 1;
    load.copied = load.received * (1 / ways + (is_packed_ ? 2 : 0));
    load.times *= ways;
  }
  return loads;
}

bool travel_longer_than_handled(const Call& call, std::span<const RoundLoad> loads) {
  const LogGP network = call.cost_model.between_nodes();
  double travelling = 0;
  double handled = 0;
  for (const RoundLoad& load : loads) {
    travelling += load.times * call.cost_model.network.beta * load.on_link;
    handled += load.times * load.messages * (network.send_overhead + network.receive_overhead);
  }
  return travelling > handled;
}

}  // namespace cuboid::detail
