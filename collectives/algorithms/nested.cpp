#include "collectives/algorithms/families.hpp"
#include "collectives/forests/forests.hpp"
#include "collectives/forests/over_nodes.hpp"
#include "collectives/forests/tree_neighbours.hpp"
#include "collectives/forests/trees.hpp"

#include <vector>

namespace cuboid::detail {

namespace {

const std::vector<Operation> rooted_operations = {Operation::broadcast, Operation::reduce,
                                                  Operation::allreduce};

struct LevelShape {
  TreeShape tree;
  TreeNeighboursShape neighbours;
};
constexpr LevelShape level_shapes[] = {{binomial_tree, binomial_neighbours},
                                       {binary_tree, binary_neighbours},
                                       {chain, chain_neighbours}};

TreeLevel level_of(int groups, const LevelShape& shape) {
  return {groups, shape.tree, shape.neighbours};
}

// Hierarchies of two levels; more levels gain little.
std::vector<Settings> settings_of_hierarchical(const Call& call) {
  std::vector<Settings> all;
  std::vector<int> counts;
  for (int groups = 2; groups <= call.ranks() / 2; groups *= 2) counts.push_back(groups);
  // In large groups: as many groups as ranks in each group, where HSUMMA's cost has its minimum.
  if (call.ranks() > most_ranks_simulated) counts = {counts[counts.size() / 2]};
  for (const int groups : counts) {
    for (const LevelShape& among : level_shapes) {
      for (const LevelShape& inside : level_shapes)
        all.emplace_back().levels = {level_of(groups, among), level_of(1, inside)};
    }
  }
  return all;
}

ForestOrRounds build_hierarchical(const Call& call, const Conditions& conditions,
                                  const Settings& settings) {
  return forest_from_tree(conditions, call.flow(), [&](int ranks, int root) {
    return hierarchical_tree(ranks, root, settings.levels);
  });
}

RankPart part_of_hierarchical(const Call& call, const Conditions& conditions,
                              const Settings& settings, int rank) {
  return part_together(conditions, call.flow(), 1, [&](int ranks, int root) {
    return std::vector{hierarchical_neighbours(ranks, root, rank, settings.levels)};
  });
}

std::vector<Settings> settings_of_node_aware(const Call& call) {
  const GroupNodes& group = call.cost_model.nodes;
  if (group.nodes() < 2 || group.nodes() == call.ranks()) return {};
  std::vector<Settings> all;
  for (const LevelShape& shape : level_shapes)
    all.emplace_back().levels = {level_of(group.nodes(), shape)};
  return all;
}

ForestOrRounds build_node_aware(const Call& call, const Conditions& conditions,
                                const Settings& settings) {
  const GroupNodes& group = call.cost_model.nodes;
  return forest_over_nodes(conditions, call.flow(), group, call.element_bytes(), 1, [&](int node) {
    return std::vector<NodeTree>{{settings.levels.front().shape(group.nodes(), node)}};
  });
}

RankPart part_of_node_aware(const Call& call, const Conditions& conditions,
                            const Settings& settings, int rank) {
  const GroupNodes& group = call.cost_model.nodes;
  const int node = group.node_of(rank);
  return part_over_nodes(conditions, call.flow(), group, call.element_bytes(), 1, rank,
                         [&](int root) {
                           return std::vector<NodePart>{
                               {settings.levels.front().neighbours(group.nodes(), root, node)}};
                         });
}

}  // namespace

std::vector<Algorithm> nested_algorithms() {
  return {
      {"node_aware", "a tree of nodes, then shared memory within each node", rooted_operations,
       false, settings_of_node_aware, build_node_aware, part_of_node_aware},
      {"hierarchical", "a tree of groups, then a tree within each group (HSUMMA)",
       rooted_operations, false, settings_of_hierarchical, build_hierarchical,
       part_of_hierarchical},
  };
}

}  // namespace cuboid::detail
