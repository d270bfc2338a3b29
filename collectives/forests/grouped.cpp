#include "collectives/forests/grouped.hpp"

#include <algorithm>
#include <numeric>

namespace cuboid::detail {

std::vector<Edge> grouped_tree(std::span<const std::vector<int>> groups, int root,
                               const ShapeOverRanks& among, const ShapeOverRanks& inside) {
  std::vector<int> leaders;
  for (const auto& group : groups) {
    const bool has_root = std::ranges::find(group, root) != group.end();
    leaders.push_back(has_root ? root : group.front());
  }
  std::vector<Edge> edges = among(leaders, root);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const std::vector<Edge> within = inside(groups[group], leaders[group]);
    edges.insert(edges.end(), within.begin(), within.end());
  }
  return edges;
}

ShapeOverRanks over_ranks(std::vector<Edge> (*shape)(int ranks, int root)) {
  return [shape](std::span<const int> ranks, int root) {
    const auto number = std::ranges::find(ranks, root) - ranks.begin();
    std::vector<Edge> edges = shape(static_cast<int>(ranks.size()), static_cast<int>(number));
    for (Edge& edge : edges) {
      edge = {ranks[static_cast<std::size_t>(edge.parent)],
              ranks[static_cast<std::size_t>(edge.child)]};
    }
    return edges;
  };
}

std::vector<std::vector<int>> consecutive_groups(std::span<const int> ranks, int count) {
  std::vector<std::vector<int>> groups;
  const std::size_t parts = static_cast<std::size_t>(count);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t first = ranks.size() * part / parts;
    const std::size_t end = ranks.size() * (part + 1) / parts;
    groups.emplace_back(ranks.begin() + static_cast<std::ptrdiff_t>(first),
                        ranks.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return groups;
}

namespace {

std::vector<Edge> tree_of_levels(std::span<const int> ranks, int root,
                                 std::span<const TreeLevel> levels) {
  const ShapeOverRanks among = over_ranks(levels.front().shape);
  if (levels.size() == 1) return among(ranks, root);
  const int groups = std::clamp(levels.front().groups, 1, static_cast<int>(ranks.size()));
  return grouped_tree(consecutive_groups(ranks, groups), root, among,
                      [&](std::span<const int> group, int leader) {
                        return tree_of_levels(group, leader, levels.subspan(1));
                      });
}

}  // namespace

std::vector<Edge> hierarchical_tree(int ranks, int root, std::span<const TreeLevel> levels) {
  std::vector<int> everyone(static_cast<std::size_t>(ranks));
  std::iota(everyone.begin(), everyone.end(), 0);
  return tree_of_levels(everyone, root, levels);
}

}  // namespace cuboid::detail
