#include "collectives/algorithms/families.hpp"
#include "collectives/algorithms/scatter_loads.hpp"
#include "collectives/butterflies/colour_pieces.hpp"
#include "collectives/butterflies/scatter_allgather.hpp"
#include "collectives/evaluation/segments.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

using Scatters = std::span<const ScatterAllgather>;

// The greatest extent of an axis; beyond it planning takes longer than is gained.
constexpr int greatest_extent = 1024;

int longest_axis(const Shape& shape) {
  return std::ranges::max(shape.axes(), {}, &Axis::extent).extent;
}

int most_scatter_steps(Scatters colours) {
  int most = colours.front().length();
  for (const ScatterAllgather& colour : colours) most = std::min(most, colour.most_scatter_steps());
  return most;
}

TriedSettings best_with(const Call& call, const ScatterLoads& loads, Scatters colours) {
  TriedSettings best;
  best.seconds = std::numeric_limits<double>::infinity();
  best.settings.colours = static_cast<int>(colours.size());
  for (int scatter_steps = 0; scatter_steps <= most_scatter_steps(colours); ++scatter_steps) {
    if (scatter_steps > 0 && count_pieces(colours, scatter_steps) > enough_pieces) break;
    const double seconds = seconds_in_lockstep(call, loads.of(colours.size(), scatter_steps));
    if (seconds >= best.seconds) continue;
    best.seconds = seconds;
    best.settings.scatter_steps = scatter_steps;
  }
  return best;
}

// The numbers of colours to try: all, one for each axis, and for short messages two and one.
std::vector<std::size_t> numbers_of_colours(std::size_t all) {
  std::vector<std::size_t> numbers;
  for (const std::size_t number : {all, all / 2, std::size_t{2}, std::size_t{1}}) {
    if (numbers.empty() || number < numbers.back()) numbers.push_back(number);
  }
  return numbers;
}

// Predicts all settings by their links and steps alone.
std::vector<TriedSettings> tried_of_scatter(const Call& call) {
  if (!call.fills_a_shape() || longest_axis(*call.cost_model.nodes.shape) > greatest_extent)
    return {};
  std::vector<TriedSettings> all;
  for (const int radix : {2, 3, 4, 5}) {
    // A call costs the same from every root.
    const auto colours = scatter_allgathers(*call.cost_model.nodes.shape, radix, 0);
    const ScatterLoads loads(call, colours);
    for (const std::size_t number : numbers_of_colours(colours.size())) {
      TriedSettings& tried =
          all.emplace_back(best_with(call, loads, Scatters(colours).first(number)));
      tried.settings.radix = radix;
      tried.settings.pipelining = pipelining_in_rounds(call);
    }
  }
  return all;
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
      {call.flow(), group.node_of(call.collective.root), settings.scatter_steps},
      [&group](NodeIndex on) { return group.ranks_of_node[static_cast<std::size_t>(on)].front(); },
      node);
}

RankPart part_of_scatter(const Call& call, const Conditions&, const Settings& settings, int rank) {
  return rounds_of_scatter(call, settings, call.cost_model.nodes.node_of(rank));
}

Pieces pieces_of_scatter(const Call& call, const Conditions& conditions, const Settings& settings) {
  return colour_pieces(colours_of(call, settings), settings.scatter_steps,
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
       [](const Call& call) { return most_promising(tried_of_scatter(call)); },
       [](const Call& call, const Conditions&, const Settings& settings) -> ForestOrRounds {
         return rounds_of_scatter(call, settings, std::nullopt);
       },
       part_of_scatter,
       pieces_of_scatter,
       nullptr,
       nullptr,
       [](const Call& call, const Settings& settings) {
         const auto colours = scatter_allgathers(*call.cost_model.nodes.shape, settings.radix, 0);
         return ScatterLoads(call, colours)
             .of(static_cast<std::size_t>(settings.colours), settings.scatter_steps);
       }},
  };
}

}  // namespace cuboid::detail
