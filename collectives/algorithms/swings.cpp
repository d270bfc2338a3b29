#include "collectives/algorithms/butterfly_loads.hpp"
#include "collectives/algorithms/families.hpp"
#include "collectives/butterflies/colour_pieces.hpp"
#include "collectives/butterflies/swing.hpp"
#include "collectives/evaluation/segments.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

// The most pieces of a message. Shapes with large odd extents need thousands of pieces.
constexpr std::int64_t most_pieces = 1 << 14;

void add_tried(const Call& call, std::span<const Butterfly> butterflies, const Folding& folding,
               std::vector<TriedSettings>& all) {
  int steps = 0;
  int least = 0;
  for (const Butterfly& butterfly : butterflies) {
    steps = std::max(steps, butterfly.length());
    least = std::max(least, butterfly.least_scatter_steps());
  }
  if (count_pieces(butterflies, least) > most_pieces) return;
  const ButterflyLoads loads(call, butterflies);
  for (int scatter_steps = least; scatter_steps <= steps; ++scatter_steps) {
    if (scatter_steps > least && count_pieces(butterflies, scatter_steps) > enough_pieces) break;
    const std::vector<RoundLoad> of_rounds = loads.of(scatter_steps);
    TriedSettings& tried = all.emplace_back();
    tried.seconds = seconds_in_lockstep(call, of_rounds);
    tried.settings.colours = static_cast<int>(butterflies.size());
    tried.settings.scatter_steps = scatter_steps;
    tried.settings.lockstep = travel_longer_than_handled(call, of_rounds);
    tried.settings.folding = folding;
    tried.settings.pipelining = pipelining_in_rounds(call);
  }
}

// The most binary digits of a core (see Folding). More digits leave fewer surplus nodes, but larger
// factors.
constexpr int most_digits = 4;
// The most axes with rings: what two rings leave of a message is short, and folds deal with it.
constexpr int most_rings = 2;

// The greatest radix of a step. A step of a greater radix would send as many short messages at
// once; folds and rings do better.
constexpr int greatest_radix = 1024;

constexpr std::array arcs_worth_trying{2, 3, 4, 5, 7};

// The foldings to try; each different set of cores once.
std::vector<Folding> foldings_of(const Shape& shape) {
  std::vector<Folding> foldings{{}};
  std::vector<std::vector<int>> known{cores_of(shape, 0)};
  // In an overlapped fold surplus nodes have longer messages. On a ring the messages of the two
  // directions use different links; on a line they would meet, so there is no such fold.
  const bool any_line = has_line(shape);
  for (int digits = 1; digits <= most_digits; ++digits) {
    std::vector<int> cores = cores_of(shape, digits);
    if (std::ranges::find(known, cores) != known.end()) continue;
    known.push_back(std::move(cores));
    foldings.push_back({digits, FoldTime::at_once});
    for (int during = 1; !any_line && during <= 3; ++during)
      foldings.push_back({digits, FoldTime::overlapped, during});
  }
  const bool folds = foldings.size() > 1;
  if (!any_line) foldings.push_back({.first_of_four = true});
  if (of_mixed_radices(shape)) foldings.push_back({.in_turns = true});
  for (int rings = 1; folds && rings <= most_rings; ++rings) {
    for (const int digits : {0, 1}) foldings.push_back({digits, FoldTime::at_once, 1, rings});
  }
  // On many nodes whose extents are powers of two, arcs are never faster.
  const bool few_nodes = shape.nodes() <= 1024;
  for (const int arcs : arcs_worth_trying) {
    for (int rings = 2; (folds || few_nodes) && rings <= 3; ++rings)
      foldings.push_back({1, FoldTime::at_once, 1, rings, arcs});
  }
  return foldings;
}

// The numbers of butterflies to try: all, and for short messages two and one.
std::vector<std::size_t> ways_of(std::span<const Butterfly> butterflies) {
  std::vector<std::size_t> ways{butterflies.size()};
  for (const std::size_t few : {2U, 1U}) {
    if (few < ways.back()) ways.push_back(few);
  }
  return ways;
}

// Predicts all settings by their links and steps alone.
std::vector<TriedSettings> tried_of_swing(const Call& call) {
  if (!call.fills_a_shape()) return {};
  const Shape& shape = *call.cost_model.nodes.shape;
  std::vector<TriedSettings> all;
  const auto try_out = [&](std::span<const Butterfly> butterflies, const Folding& folding) {
    for (const std::size_t ways : ways_of(butterflies))
      add_tried(call, butterflies.first(ways), folding, all);
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
  return all;
}

std::vector<Butterfly> butterflies_of(const Call& call, const Settings& settings) {
  auto butterflies = swing_butterflies(*call.cost_model.nodes.shape, settings.folding);
  butterflies.resize(static_cast<std::size_t>(settings.colours));
  return butterflies;
}

Rounds rounds_of_swing(const Call& call, const Settings& settings, std::optional<int> node) {
  const GroupNodes& group = call.cost_model.nodes;
  return butterfly_rounds(
      *group.shape, butterflies_of(call, settings), {settings.scatter_steps, settings.lockstep},
      [&group](NodeIndex on) { return group.ranks_of_node[static_cast<std::size_t>(on)].front(); },
      node);
}

RankPart part_of_swing(const Call& call, const Conditions&, const Settings& settings, int rank) {
  return rounds_of_swing(call, settings, call.cost_model.nodes.node_of(rank));
}

Pieces pieces_of_swing(const Call& call, const Conditions& conditions, const Settings& settings) {
  return colour_pieces(butterflies_of(call, settings), settings.scatter_steps,
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
       [](const Call& call) { return most_promising(tried_of_swing(call)); },
       [](const Call& call, const Conditions&, const Settings& settings) -> ForestOrRounds {
         return rounds_of_swing(call, settings, std::nullopt);
       },
       part_of_swing,
       pieces_of_swing,
       nullptr,
       nullptr,
       [](const Call& call, const Settings& settings) {
         return ButterflyLoads(call, butterflies_of(call, settings)).of(settings.scatter_steps);
       }},
  };
}

}  // namespace cuboid::detail
