#include "collectives/algorithms/families.hpp"
#include "collectives/forests/forests.hpp"
#include "collectives/forests/over_nodes.hpp"
#include "collectives/forests/relatives.hpp"
#include "collectives/forests/tree_steps.hpp"
#include "collectives/forests/trees.hpp"
#include "collectives/prices/estimate_trees.hpp"
#include "collectives/prices/segments.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

const std::vector<Operation> rooted_operations = {Operation::broadcast, Operation::reduce,
                                                  Operation::allreduce};

struct LevelShape {
  TreeShape tree;
  RelativesShape relatives;
  StepsShape steps;
};
constexpr LevelShape level_shapes[] = {{binomial_tree, binomial_relatives, binomial_steps},
                                       {binary_tree, binary_relatives, binary_steps},
                                       {chain, chain_relatives, chain_steps}};

// Group counts worth trying: all of them where they are few, else powers of two and √p, where
// HSUMMA has its minimum.
std::vector<int> group_counts(int ranks) {
  std::vector<int> counts;
  if (ranks <= 32) {
    for (int groups = 2; groups <= ranks / 2; ++groups) counts.push_back(groups);
    return counts;
  }
  for (int groups = 2; groups <= ranks / 2; groups *= 2) counts.push_back(groups);
  counts.push_back(static_cast<int>(std::lround(std::sqrt(ranks))));
  return counts;
}

struct Level {
  int groups;  ///< of the ranks of a group above; 1: the innermost
  const LevelShape* shape;
};

TreeSteps steps_of(int ranks, std::span<const Level> levels, Flow flow) {
  const auto& [groups, shape] = levels.front();
  if (levels.size() == 1) return shape->steps(ranks, flow);
  const int largest = (ranks + groups - 1) / groups;
  return grouped_steps(groups, shape->steps(groups, flow),
                       steps_of(largest, levels.subspan(1), flow), flow);
}

CostEstimate estimate_levels(const Call& call, std::span<const Level> levels) {
  CostEstimate estimate = estimate_trees(call, steps_of(call.ranks(), levels, call.flow()), 1);
  for (const auto& [groups, shape] : levels)
    estimate.settings.levels.push_back({groups, shape->tree, shape->relatives});
  return estimate;
}

/// Levels and what they cost.
struct Hierarchy {
  std::vector<Level> levels;
  CostEstimate estimate;
};

std::optional<Hierarchy> best_two_levels(const Call& call) {
  std::optional<Hierarchy> best;
  for (const int groups : group_counts(call.ranks())) {
    for (const LevelShape& among : level_shapes) {
      for (const LevelShape& inside : level_shapes) {
        std::vector<Level> levels = {{groups, &among}, {1, &inside}};
        CostEstimate estimate = estimate_levels(call, levels);
        if (!best || estimate.seconds < best->estimate.seconds)
          best = {std::move(levels), std::move(estimate)};
      }
    }
  }
  return best;
}

/// The best that one level more makes of it: the innermost groups are cut, or the outermost ones
/// gathered.
Hierarchy one_level_more(const Call& call, const Hierarchy& hierarchy) {
  Hierarchy best = hierarchy;
  int innermost = call.ranks();
  for (const Level& level : hierarchy.levels)
    innermost = (innermost + level.groups - 1) / level.groups;
  const auto consider = [&](std::vector<Level> levels) {
    CostEstimate estimate = estimate_levels(call, levels);
    if (estimate.seconds < best.estimate.seconds) best = {std::move(levels), std::move(estimate)};
  };
  for (const LevelShape& shape : level_shapes) {
    for (int groups = 2; groups <= innermost / 2; groups *= 2) {
      std::vector<Level> cut = hierarchy.levels;
      cut.insert(cut.end() - 1, {groups, &shape});
      consider(std::move(cut));
    }
    const int outermost = hierarchy.levels.front().groups;
    for (int groups = 2; groups <= outermost / 2; groups *= 2) {
      std::vector<Level> gathered = hierarchy.levels;
      gathered.front().groups = (outermost + groups - 1) / groups;
      gathered.insert(gathered.begin(), {groups, &shape});
      consider(std::move(gathered));
    }
  }
  return best;
}

// Counted steps tell hierarchies apart; what the best of them takes depends on the links, too.
CostEstimate along_links(const Call& call, const Hierarchy& hierarchy) {
  const std::vector<TreeLevel>& levels = hierarchy.estimate.settings.levels;
  const RelativesOf tree = [&](int rank) {
    return hierarchical_relatives(call.ranks(), call.collective.root, rank, levels);
  };
  const TreeSteps steps = steps_of(call.ranks(), hierarchy.levels, call.flow());
  CostEstimate estimate = estimate_trees(call, steps, std::span(&tree, 1));
  estimate.settings.levels = levels;
  return estimate;
}

/// As many levels as pay.
std::optional<CostEstimate> price_hierarchical(const Call& call) {
  constexpr double pays = 0.99;
  std::optional<Hierarchy> best = best_two_levels(call);
  if (!best) return std::nullopt;
  for (;;) {
    Hierarchy deeper = one_level_more(call, *best);
    if (deeper.estimate.seconds >= pays * best->estimate.seconds) return along_links(call, *best);
    best = std::move(deeper);
  }
}

TreeLevel level_of(int groups, const LevelShape& shape) {
  return {groups, shape.tree, shape.relatives};
}

// Two levels: what more gain is little.
std::vector<Settings> settings_of_hierarchical(const Call& call) {
  std::vector<Settings> all;
  std::vector<int> counts;
  for (int groups = 2; groups <= call.ranks() / 2; groups *= 2) counts.push_back(groups);
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
    return std::vector{hierarchical_relatives(ranks, root, rank, settings.levels)};
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

// One message enters each node; copies within nodes overlap with messages between them.
std::optional<CostEstimate> price_node_aware(const Call& call) {
  const GroupNodes& group = call.cost_model.nodes;
  if (group.nodes() < 2 || group.nodes() == call.ranks()) return std::nullopt;
  const double flows = call.flow() == Flow::combine_then_multicast ? 2 : 1;
  const double most = call.most_on_a_node();
  const TreeSteps within{.first = flows * most, .gap = flows * (most - 1)};
  std::optional<CostEstimate> best;
  for (const LevelShape& shape : level_shapes) {
    CostEstimate estimate = estimate_trees(call, shape.steps(group.nodes(), call.flow()), 1);
    // Within a node the first segment adds its way, the others only what is slower than the
    // network.
    const auto bytes = static_cast<double>(call.bytes());
    const std::size_t segment = estimate.settings.pipelining.segment_bytes;
    const double inside = pipelined_tree_seconds(call.cost_model.node, within, bytes, segment);
    const double first = std::min(bytes, static_cast<double>(segment));
    const Hockney& node = call.cost_model.node;
    estimate.seconds =
        std::max(estimate.seconds + within.first * (node.alpha + node.beta * first), inside);
    if (best && best->seconds <= estimate.seconds) continue;
    estimate.settings.pipelining.segments_per_bundle = sensible_bundle(segment, bytes);
    estimate.settings.levels = {{group.nodes(), shape.tree, shape.relatives}};
    best = estimate;
  }
  return best;
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
                               {settings.levels.front().relatives(group.nodes(), root, node)}};
                         });
}

}  // namespace

std::vector<Algorithm> nested_algorithms() {
  return {
      {"node_aware", "a tree of nodes, then shared memory within each node", rooted_operations,
       false, settings_of_node_aware, price_node_aware, build_node_aware, part_of_node_aware},
      {"hierarchical",
       "a tree of groups, then within each group, in as many levels as pay (HSUMMA)",
       rooted_operations, false, settings_of_hierarchical, price_hierarchical, build_hierarchical,
       part_of_hierarchical},
  };
}

}  // namespace cuboid::detail
