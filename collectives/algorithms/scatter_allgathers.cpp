#include "collectives/algorithms/families.hpp"
#include "collectives/axis_prices/scatter_allgather_seconds.hpp"
#include "collectives/butterflies/colour_pieces.hpp"
#include "collectives/butterflies/scatter_allgather.hpp"
#include "collectives/prices/estimate_rounds.hpp"
#include "collectives/prices/segments.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

using Scatters = std::span<const ScatterAllgather>;

// Of longer ones planning takes longer than is gained.
constexpr int greatest_extent = 1024;

int longest_axis(const Shape& shape) {
  return std::ranges::max(shape.axes(), {}, &Axis::extent).extent;
}

int most_scattering(Scatters colours) {
  int most = colours.front().length();
  for (const ScatterAllgather& colour : colours) most = std::min(most, colour.most_scattering());
  return most;
}

CostEstimate best_with(const ScatterAllgatherPrices& prices, Scatters colours) {
  CostEstimate best{{}, prices.seconds(colours.size(), 0)};
  best.settings.colours = static_cast<int>(colours.size());
  for (int scattering = 1; scattering <= most_scattering(colours); ++scattering) {
    if (count_pieces(colours, scattering) > enough_pieces) break;
    const double seconds = prices.seconds(colours.size(), scattering);
    if (seconds >= best.seconds) continue;
    best.seconds = seconds;
    best.settings.scattering = scattering;
  }
  return best;
}

// All, one for each axis, or of short messages two or one.
std::vector<std::size_t> numbers_of_colours(std::size_t all) {
  std::vector<std::size_t> numbers;
  for (const std::size_t number : {all, all / 2, std::size_t{2}, std::size_t{1}}) {
    if (numbers.empty() || number < numbers.back()) numbers.push_back(number);
  }
  return numbers;
}

// By links and steps alone.
std::vector<CostEstimate> scatter_estimates(const Call& call) {
  if (!call.fills_a_shape() || longest_axis(*call.cost_model.nodes.shape) > greatest_extent)
    return {};
  std::vector<CostEstimate> all;
  for (const int radix : {2, 3, 4, 5}) {
    // A call costs the same from every root.
    const auto colours = scatter_allgathers(*call.cost_model.nodes.shape, radix, 0);
    const ScatterAllgatherPrices prices(call, colours);
    for (const std::size_t number : numbers_of_colours(colours.size())) {
      CostEstimate& estimate = all.emplace_back(best_with(prices, Scatters(colours).first(number)));
      estimate.settings.radix = radix;
      estimate.settings.pipelining = pipelining_in_rounds(call);
    }
  }
  return all;
}

std::optional<CostEstimate> price_scatter_allgather(const Call& call) {
  const std::vector<CostEstimate> all = scatter_estimates(call);
  const auto best = std::ranges::min_element(all, {}, &CostEstimate::seconds);
  if (best == all.end()) return std::nullopt;
  CostEstimate estimate =
      estimate_rounds(call, best->seconds,
                      {.rounds = 1.0 + best->settings.scattering,
                       .messages = static_cast<double>(best->settings.colours)});
  estimate.settings = best->settings;
  return estimate;
}

std::vector<ScatterAllgather> colours_of(const Call& call, const Settings& settings) {
  const GroupNodes& nodes = call.cost_model.nodes;
  auto colours =
      scatter_allgathers(*nodes.shape, settings.radix, nodes.node_of(call.collective.root));
  colours.resize(static_cast<std::size_t>(settings.colours));
  return colours;
}

Rounds rounds_of_scatter(const Call& call, const Settings& settings, std::optional<int> node) {
  const GroupNodes& group = call.cost_model.nodes;
  return scatter_allgather_rounds(
      *group.shape, colours_of(call, settings),
      {call.flow(), group.node_of(call.collective.root), settings.scattering},
      [&group](NodeIndex on) { return group.ranks_of_node[static_cast<std::size_t>(on)].front(); },
      node);
}

RankPart part_of_scatter(const Call& call, const Conditions&, const Settings& settings, int rank) {
  return rounds_of_scatter(call, settings, call.cost_model.nodes.node_of(rank));
}

std::vector<Piece> pieces_of_scatter(const Call& call, const Conditions& conditions,
                                     const Settings& settings) {
  return colour_pieces(colours_of(call, settings), settings.scattering,
                       conditions.blocks.at(0).slice.bytes, call.element_bytes());
}

}  // namespace

std::vector<Algorithm> scatter_allgather_algorithms() {
  return {
      {"scatter_allgather",
       "scatter and all-gather in few steps along all axes in both directions at once, each part "
       "from the nearest node that keeps it",
       {Operation::broadcast, Operation::reduce},
       false,
       [](const Call& call) { return most_promising(scatter_estimates(call)); },
       price_scatter_allgather,
       [](const Call& call, const Conditions&, const Settings& settings) -> ForestOrRounds {
         return rounds_of_scatter(call, settings, std::nullopt);
       },
       part_of_scatter,
       pieces_of_scatter},
  };
}

}  // namespace cuboid::detail
