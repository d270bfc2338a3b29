#include "collectives/forests/grouped.hpp"

#include <algorithm>
#include <cstdint>
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

TreeNeighbours hierarchical_neighbours(int ranks, int root, int rank,
                                       std::span<const TreeLevel> levels) {
  const TreeLevel& level = levels.front();
  if (levels.size() == 1) return level.neighbours(ranks, root, rank);
  const std::int64_t groups = std::clamp(level.groups, 1, ranks);
  const auto first_of = [&](std::int64_t group) {
    return static_cast<int>(ranks * group / groups);
  };
  const auto group_of = [&](int member) {
    std::int64_t group = member * groups / ranks;
    while (first_of(group + 1) <= member) ++group;
    return static_cast<int>(group);
  };
  const int group_of_root = group_of(root);
  const auto leader_of = [&](int group) { return group == group_of_root ? root : first_of(group); };
  const int own = group_of(rank);
  const int first = first_of(own);
  TreeNeighbours inside = hierarchical_neighbours(first_of(own + 1) - first, leader_of(own) - first,
                                                  rank - first, levels.subspan(1));
  if (inside.parent) *inside.parent += first;
  for (int& child : inside.children) child += first;
  if (rank != leader_of(own)) return inside;
  TreeNeighbours neighbours = level.neighbours(static_cast<int>(groups), group_of_root, own);
  if (neighbours.parent) neighbours.parent = leader_of(*neighbours.parent);
  for (int& child : neighbours.children) child = leader_of(child);
  neighbours.children.insert(neighbours.children.end(), inside.children.begin(),
                             inside.children.end());
  return neighbours;
}

}  // namespace cuboid::detail
