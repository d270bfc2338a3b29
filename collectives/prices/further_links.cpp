#include "collectives/prices/further_links.hpp"

#include <algorithm>
#include <cstdint>

namespace cuboid::detail {

namespace {

// The links beyond one for each edge from a rank to its root. Of a way of many edges the first ones
// stand for all.
double further_links_above(const GroupNodes& group, const RelativesOf& relatives, int rank,
                           double depth) {
  constexpr int followed = 64;
  double further = 0;
  for (int edges = 0; edges < followed; ++edges) {
    const std::optional<int> parent = relatives(rank).parent;
    if (!parent) return further;
    const int links = group.shape->distance(group.node_of(rank), group.node_of(*parent));
    further += std::max(links - 1, 0);
    rank = *parent;
  }
  return further * std::max(depth / followed, 1.0);
}

}  // namespace

double further_links_seconds(const Call& call, const TreeSteps& steps,
                             const RelativesOf& relatives) {
  const GroupNodes& group = call.cost_model.nodes;
  const double hop = call.cost_model.hop_seconds;
  if (hop == 0 || !group.shape || group.nodes() == 1) return 0;
  constexpr int followed = 16;
  const int ranks = call.ranks();
  const double ways = call.flow() == Flow::combine_then_multicast ? 2 : 1;
  double most = 0;
  for (int i = 0; i < std::min(followed, ranks); ++i) {
    // The last ranks of halves, quarters and so on are the farthest of trees that double.
    const auto rank = static_cast<int>(ranks - 1 - std::int64_t{i} * ranks / followed);
    most = std::max(most, further_links_above(group, relatives, rank, steps.depth / ways));
  }
  return hop * most * ways;
}

}  // namespace cuboid::detail
