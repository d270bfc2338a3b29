#include "collectives/rounds/tree_rounds.hpp"

#include "collectives/algorithms/families.hpp"
#include "collectives/forests/relatives.hpp"
#include "collectives/prices/estimate_rounds.hpp"
#include "collectives/prices/further_links.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace cuboid::detail {

namespace {

// All to one and back: if ranks wait for cores, each is waited for only once.
std::optional<CostEstimate> price_central(const Call& call) {
  if (call.cost_model.nodes.nodes() > 1) return std::nullopt;
  const double peers = call.ranks() - 1;
  CostEstimate estimate;
  estimate.seconds = node_seconds(call.cost_model.memory(), call.ranks(),
                                  {.hops = 2, .path_messages = 2 * peers, .messages = 2 * peers});
  return estimate;
}

int central_radix(const Call& call) {
  return std::max(call.ranks(), 2);
}

// One way a rank's message is of all blocks, the other way of those of all ranks behind it, but for
// a barrier, which has none.
CostEstimate estimate_tree(const Call& call, int radix) {
  const double ranks = call.ranks();
  double levels = 0;
  for (double reached = 1; reached < ranks; reached *= radix) ++levels;
  const auto message = static_cast<double>(call.bytes());
  const double others = (ranks - 1) / ranks * message;
  const double behind = levels * (radix - 1) / radix * message;
  const Hockney& network = call.cost_model.slowest();
  const double level = network.alpha + (radix - 2) * call.cost_model.network_overhead;
  const double on_links = network.beta * (others + levels * (radix - 1) * message);
  const double further = further_links_seconds(call, {.depth = levels}, [&](int rank) {
    return knomial_relatives(call.ranks(), 0, rank, radix);
  });
  CostEstimate estimate =
      estimate_rounds(call, 2 * (levels * level + further) + on_links,
                      {.rounds = 2 * levels,
                       .bytes = others + behind / ranks,
                       .combined = call.flow() == Flow::combine ? others : 0,
                       .messages = levels > 0 ? (ranks - 1) / (ranks * levels) : 0});
  estimate.settings.radix = radix;
  return estimate;
}

constexpr std::array tree_radices = {2, 3, 4, 6, 8};

std::vector<Settings> settings_of_tree(const Call& call) {
  std::vector<Settings> all;
  for (const int radix : tree_radices) {
    all.push_back(of_rounds(call).front());
    all.back().radix = radix;
  }
  return all;
}

// Where ranks share cores across a network, the fewest messages are quickest.
std::optional<CostEstimate> price_tree(const Call& call) {
  if (call.cost_model.nodes.nodes() == 1) return std::nullopt;
  std::optional<CostEstimate> best;
  for (const int radix : tree_radices) {
    const CostEstimate estimate = estimate_tree(call, radix);
    if (!best || estimate.seconds < best->seconds) best = estimate;
  }
  return best;
}

Rounds rounds_of_tree(const Call& call, int radix, std::optional<int> only) {
  switch (call.operation()) {
    case Operation::barrier: return tree_barrier(call.ranks(), radix, only);
    case Operation::reduce_scatter: return tree_reduce_scatter(call.ranks(), radix, only);
    default: return tree_allgather(call.ranks(), radix, only);
  }
}

}  // namespace

std::vector<Algorithm> tree_rounds_algorithms() {
  return {
      {"central",
       "all ranks to rank 0 and back",
       {Operation::barrier},
       false,
       [](const Call& call) {
         return call.on_one_node() ? of_rounds(call) : std::vector<Settings>{};
       },
       price_central,
       [](const Call& call, const Conditions&, const Settings&) -> ForestOrRounds {
         return rounds_of_tree(call, central_radix(call), {});
       },
       [](const Call& call, const Conditions&, const Settings&, int rank) -> RankPart {
         return rounds_of_tree(call, central_radix(call), rank);
       }},
      {"tree",
       "all ranks to rank 0 and back along a k-nomial tree; the model chooses k",
       {Operation::barrier, Operation::allgather, Operation::reduce_scatter},
       true,
       settings_of_tree,
       price_tree,
       [](const Call& call, const Conditions&, const Settings& settings) -> ForestOrRounds {
         return rounds_of_tree(call, settings.radix, {});
       },
       [](const Call& call, const Conditions&, const Settings& settings, int rank) -> RankPart {
         return rounds_of_tree(call, settings.radix, rank);
       }},
  };
}

}  // namespace cuboid::detail
