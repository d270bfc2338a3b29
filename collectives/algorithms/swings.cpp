#include "collectives/algorithms/families.hpp"
#include "collectives/prices/estimate_rounds.hpp"
#include "collectives/rounds/butterfly_links.hpp"
#include "collectives/rounds/fold.hpp"
#include "collectives/rounds/swing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

// One rank on each node of a shape.
bool can_swing(const Call& call) {
  const GroupNodes& group = call.cost_model.nodes;
  return group.shape && group.nodes() > 1 && group.nodes() == call.ranks();
}

// Whether one axis is for steps of an odd radix while another is not.
bool of_mixed_radices(const Shape& shape) {
  const auto is_odd = [](const Axis& axis) {
    return axis.extent > 1 && !std::has_single_bit(static_cast<unsigned>(axis.extent));
  };
  const auto odd = std::ranges::count_if(shape.axes(), is_odd);
  const auto longer =
      std::ranges::count_if(shape.axes(), [](const Axis& axis) { return axis.extent > 1; });
  return odd > 0 && odd < longer;
}

// Where ranks do not go in step, part of a round's sends wait for the last message of the round
// before.
constexpr double part_waited_for = 0.75;
// Rings of some axes are round before those of others, whose messages then have their links alone.
constexpr double part_idling_on_unequal_rings = 0.2;
// Where pieces lie apart, some rounds are of fewer messages: arcs do not all reach equally far.
constexpr double part_of_pieces_apart = 0.8;

/// What a butterfly takes. Messages that travel longer than they are handled go in step: else those
/// of one way delay those of another, more than handling could hide. Along rings of unequal lengths
/// all would wait for the longest.
struct SwingSeconds {
  double seconds = 0;
  bool in_step = false;
};

// What butterflies take, by the number of steps that scatter. Shares of a message that go along the
// same axis meet there. The n-th step along an axis is alike in all of them.
class SwingPrices {
 public:
  SwingPrices(const Call& call, std::span<const Butterfly> butterflies)
      : call_(call), at_once_(static_cast<double>(butterflies.size())) {
    const Shape& shape = *call.cost_model.nodes.shape;
    const bool both_ways =
        butterflies.size() > 1 && butterflies[0].direction != butterflies[1].direction;
    const std::size_t ways = both_ways ? 2 : 1;
    std::map<std::pair<int, int>, int> known;  // by axis and number of the step along it
    is_packed_ = butterflies.front().scatters_pieces();
    has_unequal_rings_ = butterflies.front().steps.front().passes_on() && of_mixed_radices(shape);
    for (std::size_t first = 0; first < butterflies.size(); first += ways) {
      const auto pair = butterflies.subspan(first, ways);
      auto& steps = pairs_.emplace_back();
      std::map<int, int> along;
      for (std::size_t s = 0; s < pair.front().steps.size(); ++s) {
        const ButterflyStep& step = pair.front().steps[s];
        // No axis has both a ring and other steps.
        const int number = step.passes_on() ? -1 : step.collects ? -2 : along[step.axis]++;
        const auto [found, is_new] = known.try_emplace({step.axis, number}, 0);
        if (is_new) found->second = busiest_link(shape, pair, s);
        const int received = step.passes_on() ? 2
                             : step.is_fold() ? most_folded(step)
                                              : step.radix - 1;
        StepLoad load{static_cast<int>(s),
                      step.axis,
                      step.is_fold(),
                      step.left(),
                      step.rounds(),
                      received,
                      static_cast<double>(found->second),
                      static_cast<double>(farthest_links(shape, pair.front(), s))};
        if (step.is_meanwhile()) {
          steps.back().add(load);
        } else {
          steps.push_back(load);
        }
      }
      most_steps_ = std::max(most_steps_, steps.size());
    }
  }

  SwingSeconds seconds(int scattering) const {
    const auto axes = static_cast<std::size_t>(call_.cost_model.nodes.shape->dimensions());
    std::vector<double> left(pairs_.size(), static_cast<double>(call_.bytes()) / at_once_);
    double in_step = 0, loose = 0, all_travelling = 0, all_handled = 0;
    for (std::size_t s = 0; s < most_steps_; ++s) {
      std::vector<double> on_axis(axes, 0);
      double messages = 0, received = 0, rounds = 1, farthest = 1;
      bool returns = false;
      for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
        if (s >= pairs_[pair].size()) continue;
        const StepLoad& step = pairs_[pair][s];
        const bool scatters = step.number < scattering;
        if (scatters) left[pair] *= step.left;
        if (scatters || step.folds) returns = true;
        on_axis[static_cast<std::size_t>(step.axis)] += step.rounds * step.on_link * left[pair];
        farthest = std::max(farthest, step.farthest);
        const double of_pair = at_once_ / static_cast<double>(pairs_.size()) * step.received;
        messages += of_pair;
        received += of_pair * step.rounds * left[pair];
        rounds = std::max(rounds, static_cast<double>(step.rounds));
      }
      const Hockney& network = call_.cost_model.slowest();
      const double latency = network.alpha + call_.cost_model.hop_seconds * (farthest - 1);
      const double handled = rounds * call_.cost_model.network_overhead * messages;
      // The last message of a round leaves when all have been sent.
      const double until_last = call_.cost_model.network_overhead / 2 * (messages - 1);
      const double travelling = std::max(network.beta * std::ranges::max(on_axis),
                                         call_.cost_model.injection_seconds(received));
      const auto one_way = [&](double part) {
        return std::max(handled, rounds * (latency + part * until_last) + travelling);
      };
      const double copied = is_packed_ ? (returns ? 4 : 2) * received : 0;
      const double ways = returns ? 2 : 1;
      const double in_memory = call_.cost_model.node.beta * (received + copied);
      in_step += ways * one_way(is_packed_ ? part_of_pieces_apart : 1) + in_memory;
      loose += ways * one_way(part_waited_for) + in_memory;
      all_travelling += ways * travelling;
      all_handled += ways * handled;
    }
    if (has_unequal_rings_)
      loose += part_idling_on_unequal_rings * std::max(all_travelling - all_handled, 0.0);
    const bool goes_in_step = is_packed_ || (!has_unequal_rings_ && all_travelling > all_handled);
    return {goes_in_step ? in_step : loose, goes_in_step};
  }

 private:
  struct StepLoad {
    int number = 0;
    int axis = 0;
    bool folds = false;
    double left = 0.5;
    int rounds = 1;
    int received = 1;  ///< messages, in each round
    double on_link = 1;
    double farthest = 1;  ///< links

    /// A fold in the same round.
    void add(const StepLoad& fold) {
      received += fold.received;
      on_link += fold.on_link;
      farthest = std::max(farthest, fold.farthest);
    }
  };

  const Call& call_;
  double at_once_;
  bool is_packed_ = false;
  bool has_unequal_rings_ = false;
  std::size_t most_steps_ = 0;
  std::vector<std::vector<StepLoad>> pairs_;  // by first axis
};

// The number of pieces that all ranks name: more gain nothing; shapes with large odd extents need
// as many.
constexpr std::int64_t enough_pieces = 1 << 12;
constexpr std::int64_t most_pieces = 1 << 14;

std::int64_t pieces_of(std::span<const Butterfly> butterflies, int scattering) {
  std::int64_t pieces = 0;
  for (const Butterfly& butterfly : butterflies) pieces += butterfly.pieces(scattering);
  return pieces;
}

std::optional<CostEstimate> best_with(const Call& call, std::span<const Butterfly> butterflies) {
  int steps = 0;
  int least = 0;
  for (const Butterfly& butterfly : butterflies) {
    steps = std::max(steps, butterfly.length());
    least = std::max(least, butterfly.least_scattering());
  }
  if (pieces_of(butterflies, least) > most_pieces) return std::nullopt;
  const SwingPrices prices(call, butterflies);
  std::optional<CostEstimate> best;
  for (int scattering = least; scattering <= steps; ++scattering) {
    if (scattering > least && pieces_of(butterflies, scattering) > enough_pieces) break;
    const auto [seconds, in_step] = prices.seconds(scattering);
    if (best && seconds >= best->seconds) continue;
    best = CostEstimate{{}, seconds};
    best->settings.colours = static_cast<int>(butterflies.size());
    best->settings.scattering = scattering;
    best->settings.in_step = in_step;
  }
  return best;
}

// More leave fewer nodes over, but larger factors.
constexpr int most_digits = 4;
// What rings leave is short, and soon folded to powers of two.
constexpr int most_rings = 2;

// A step of more would send as many short messages at once; folds and rings do better.
constexpr int greatest_radix = 1024;

constexpr std::array arcs_worth_trying{2, 3, 4, 5, 7};

// What extents can be folded to, each once.
std::vector<Folding> foldings_of(const Shape& shape) {
  std::vector<Folding> foldings{{}};
  std::vector<std::vector<int>> known{cores_of(shape, 0)};
  // Nodes beyond a core have longer messages meanwhile. Round a ring those of the two directions go
  // over other cables; along a line they would meet.
  const bool any_line = std::ranges::any_of(
      shape.axes(), [](const Axis& axis) { return axis.extent > 1 && !axis.wraps; });
  for (int digits = 1; digits <= most_digits; ++digits) {
    std::vector<int> cores = cores_of(shape, digits);
    if (std::ranges::find(known, cores) != known.end()) continue;
    known.push_back(std::move(cores));
    foldings.push_back({digits, FoldTime::at_once});
    for (int during = 1; !any_line && during <= 3; ++during)
      foldings.push_back({digits, FoldTime::meanwhile, during});
  }
  const bool folds = foldings.size() > 1;
  if (!any_line || !of_mixed_radices(shape)) foldings.push_back({.first_of_four = true});
  if (of_mixed_radices(shape)) foldings.push_back({.in_turns = true});
  for (int rings = 1; folds && rings <= most_rings; ++rings) {
    for (const int digits : {0, 1}) foldings.push_back({digits, FoldTime::at_once, 1, rings});
  }
  for (const int arcs : arcs_worth_trying) {
    for (int rings = 2; rings <= 3; ++rings)
      foldings.push_back({1, FoldTime::at_once, 1, rings, arcs});
  }
  return foldings;
}

// How many of the butterflies run: all, or for short messages one or two.
std::vector<std::size_t> ways_of(std::span<const Butterfly> butterflies) {
  std::vector<std::size_t> ways{butterflies.size()};
  for (const std::size_t few : {2U, 1U}) {
    if (few < ways.back()) ways.push_back(few);
  }
  return ways;
}

// All ways at once, or short messages one way.
std::optional<CostEstimate> price_swing(const Call& call) {
  if (!can_swing(call)) return std::nullopt;
  const Shape& shape = *call.cost_model.nodes.shape;
  std::optional<CostEstimate> best;
  double rounds = 0;
  const auto try_out = [&](std::span<const Butterfly> butterflies, const Folding& folding) {
    for (const std::size_t ways : ways_of(butterflies)) {
      auto estimate = best_with(call, butterflies.first(ways));
      if (!estimate || (best && estimate->seconds >= best->seconds)) continue;
      best = estimate;
      best->settings.folding = folding;
      rounds = butterflies.front().length() + best->settings.scattering;
    }
  };
  for (Folding folding : foldings_of(shape)) {
    if (largest_radix(shape, folding) > greatest_radix) continue;
    std::vector<Butterfly> butterflies = swing_butterflies(shape, folding);
    try_out(butterflies, folding);
    if (folding.rings > 0) continue;
    folding.one_way = true;
    std::erase_if(butterflies, [](const Butterfly& butterfly) { return butterfly.direction < 0; });
    try_out(butterflies, folding);
  }
  if (!best) return std::nullopt;
  CostEstimate estimate =
      estimate_rounds(call, best->seconds,
                      {.rounds = rounds, .messages = static_cast<double>(best->settings.colours)});
  best->settings.pipelining = estimate.settings.pipelining;
  best->seconds = estimate.seconds;
  return best;
}

std::vector<Butterfly> butterflies_of(const Call& call, const Settings& settings) {
  auto butterflies = swing_butterflies(*call.cost_model.nodes.shape, settings.folding);
  butterflies.resize(static_cast<std::size_t>(settings.colours));
  return butterflies;
}

Rounds rounds_of_swing(const Call& call, const Settings& settings, std::optional<int> node) {
  const GroupNodes& group = call.cost_model.nodes;
  return butterfly_allreduce(
      *group.shape, butterflies_of(call, settings), settings.scattering, settings.in_step,
      [&group](NodeIndex on) { return group.ranks_of_node[static_cast<std::size_t>(on)].front(); },
      node);
}

RankPart part_of_swing(const Call& call, const Conditions&, const Settings& settings, int rank) {
  return rounds_of_swing(call, settings, call.cost_model.nodes.node_of(rank));
}

std::vector<Piece> pieces_of_swing(const Call& call, const Conditions& conditions,
                                   const Settings& settings) {
  return butterfly_pieces(butterflies_of(call, settings), settings.scattering,
                          conditions.blocks.at(0).slice.bytes, call.element_bytes());
}

}  // namespace

std::vector<Algorithm> swing_algorithms() {
  return {
      {"swing",
       "reduce-scatter and all-gather in few steps along all axes in both directions at once "
       "(Swing, recursive multiplying)",
       {Operation::allreduce},
       false,
       price_swing,
       [](const Call& call, const Conditions&, const Settings& settings) -> ForestOrRounds {
         return rounds_of_swing(call, settings, std::nullopt);
       },
       part_of_swing,
       pieces_of_swing},
  };
}

}  // namespace cuboid::detail
