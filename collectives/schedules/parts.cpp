#include "collectives/schedules/parts.hpp"

#include <utility>

namespace cuboid::detail {

ForestPart part_of(const Forest& forest, int rank) {
  ForestPart part{.flow = forest.flow};
  for (const Tree& tree : forest.trees) {
    TreePart mine{.block = tree.block, .slice = tree.slice, .channel = tree.channel};
    for (std::size_t edge = 0; edge < tree.edges.size(); ++edge) {
      const auto& [parent, child] = tree.edges[edge];
      const bool local = edge + tree.local_fanout >= tree.edges.size();
      if (child == rank) {
        mine.neighbours.parent = parent;
        mine.from_node = local;
      }
      if (parent == rank) {
        mine.neighbours.children.push_back(child);
        if (local) ++mine.local_fanout;
      }
    }
    const bool member =
        tree.root == rank || mine.neighbours.parent || !mine.neighbours.children.empty();
    if (member) part.trees.push_back(std::move(mine));
  }
  return part;
}

Rounds part_of(const Rounds& rounds, int rank) {
  Rounds part{.ranks = rounds.ranks,
              .packed = rounds.packed,
              .lockstep = rounds.lockstep,
              .after_all = rounds.after_all};
  for (const auto& round : rounds.rounds) {
    auto& mine = part.rounds.emplace_back();
    for (const Exchange& exchange : round) {
      if (exchange.sender == rank || exchange.receiver == rank) mine.push_back(exchange);
    }
  }
  return part;
}

}  // namespace cuboid::detail
