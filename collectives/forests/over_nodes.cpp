#include "collectives/forests/over_nodes.hpp"

#include "collectives/schedules/slices.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace cuboid::detail {

namespace {

// The rank that owns tree `number` on a node.
int owner(const GroupNodes& group, int node, std::size_t number) {
  const auto& ranks = group.ranks_of_node[static_cast<std::size_t>(node)];
  return ranks[number % ranks.size()];
}

// Cuts every block over the trees out of its root's node. Calls `add_tree` for each tree with: the
// block and its slice; the index `which` among the trees out of the root's node; the root's node;
// the root rank, or nullopt for the tree's owner on the root's node; and the number among all
// trees.
template <class SharesFrom, class AddTree>
void for_each_tree(const Conditions& conditions, Flow flow, const GroupNodes& group,
                   std::size_t element_bytes, int roots, const SharesFrom& shares_from,
                   const AddTree& add_tree) {
  std::size_t number = 0;
  const auto add_trees = [&](int block, Slice slice, int node, std::optional<int> root) {
    const std::vector<double> shares = shares_from(node);
    const std::vector<Slice> slices = cut(slice, shares, element_bytes);
    for (std::size_t which = 0; which < slices.size(); ++which) {
      add_tree({.block = block, .slice = slices[which]}, which, node, root, number);
      ++number;
    }
  };
  const bool many = conditions.blocks.size() > 1;
  const std::vector<int> node_of_rank = many ? group.node_of_rank() : std::vector<int>{};
  for (std::size_t index = 0; index < conditions.blocks.size(); ++index) {
    const Block& block = conditions.blocks[index];
    const auto root = flow == Flow::multicast ? block.before : block.after;
    const int name = static_cast<int>(index);
    if (root) {
      const int node = many ? node_of_rank[static_cast<std::size_t>(*root)] : group.node_of(*root);
      add_trees(name, block.slice, node, root);
      continue;
    }
    const auto parts = cut(block.slice, static_cast<std::size_t>(roots), element_bytes);
    for (int part = 0; part < roots; ++part) {
      add_trees(name, parts[static_cast<std::size_t>(part)],
                static_cast<int>(std::int64_t{part} * group.nodes() / roots), std::nullopt);
    }
  }
}

template <class Trees>
std::vector<double> shares_of(const Trees& trees) {
  std::vector<double> shares;
  shares.reserve(trees.size());
  for (const auto& tree : trees) shares.push_back(tree.share);
  return shares;
}

// The part of `rank` in the tree that lift_to_ranks() makes. `of_node` is the part of its node in
// the tree.
void lift_part(TreePart& part, const TreeNeighbours& of_node, const GroupNodes& group, int node,
               int root_node, int root, std::size_t number, int rank) {
  TreeNeighbours& mine = part.neighbours;
  const int hands_on = owner(group, node, number);
  const int root_owner = owner(group, root_node, number);
  if (rank == root && root != root_owner) mine.children.push_back(root_owner);
  if (rank != hands_on) {
    if (rank == root) return;
    mine.parent = hands_on;
    part.from_node = true;
    return;
  }
  if (of_node.parent) {
    mine.parent = owner(group, *of_node.parent, number);
  } else if (rank != root) {
    mine.parent = root;
  }
  for (const int child : of_node.children) mine.children.push_back(owner(group, child, number));
  for (const int other : group.ranks_of_node[static_cast<std::size_t>(node)]) {
    if (other == hands_on || other == root) continue;
    mine.children.push_back(other);
    ++part.local_fanout;
  }
}

}  // namespace

LiftedTree lift_to_ranks(std::span<const Edge> node_edges, const GroupNodes& group,
                         std::optional<int> root_rank, std::size_t number) {
  std::vector<Edge> edges;
  std::vector<bool> is_child(group.ranks_of_node.size(), false);
  for (const auto& [parent, child] : node_edges) is_child[static_cast<std::size_t>(child)] = true;
  int root_node = 0;
  while (is_child[static_cast<std::size_t>(root_node)]) ++root_node;

  // Messages to other nodes go first, because they take longer.
  const int root_owner = owner(group, root_node, number);
  const int root = root_rank.value_or(root_owner);
  if (root != root_owner) edges.push_back({root, root_owner});
  for (const auto& [parent, child] : node_edges)
    edges.push_back({owner(group, parent, number), owner(group, child, number)});
  const std::size_t between_nodes = edges.size();
  for (int node = 0; node < group.nodes(); ++node) {
    const int hands_on = owner(group, node, number);
    for (const int rank : group.ranks_of_node[static_cast<std::size_t>(node)]) {
      if (rank != hands_on && rank != root) edges.push_back({hands_on, rank});
    }
  }
  const std::size_t local_fanout = edges.size() - between_nodes;
  return {root, std::move(edges), local_fanout};
}

Forest forest_over_nodes(const Conditions& conditions, Flow flow, const GroupNodes& group,
                         std::size_t element_bytes, int roots,
                         const std::function<std::vector<NodeTree>(int node)>& trees_from) {
  Forest forest{.ranks = conditions.ranks, .flow = flow};
  std::vector<NodeTree> trees;
  const auto shares_from = [&](int node) {
    trees = trees_from(node);
    return shares_of(trees);
  };
  for_each_tree(
      conditions, flow, group, element_bytes, roots, shares_from,
      [&](Tree tree, std::size_t which, int, std::optional<int> root, std::size_t number) {
        LiftedTree lifted = lift_to_ranks(trees[which].edges, group, root, number);
        tree.root = lifted.root;
        tree.edges = std::move(lifted.edges);
        tree.local_fanout = lifted.local_fanout;
        tree.channel = static_cast<std::uint32_t>(number);
        forest.trees.push_back(std::move(tree));
      });
  return forest;
}

ForestPart part_over_nodes(const Conditions& conditions, Flow flow, const GroupNodes& group,
                           std::size_t element_bytes, int roots, int rank,
                           const std::function<std::vector<NodePart>(int root)>& parts_from) {
  ForestPart part{.flow = flow};
  const int own_node = group.node_of(rank);
  std::vector<NodePart> trees;
  const auto shares_from = [&](int node) {
    trees = parts_from(node);
    return shares_of(trees);
  };
  for_each_tree(conditions, flow, group, element_bytes, roots, shares_from,
                [&](const Tree& tree, std::size_t which, int node, std::optional<int> root,
                    std::size_t number) {
                  TreePart& mine = part.trees.emplace_back(
                      TreePart{.block = tree.block,
                               .slice = tree.slice,
                               .channel = static_cast<std::uint32_t>(number)});
                  lift_part(mine, trees[which].neighbours, group, own_node, node,
                            root.value_or(owner(group, node, number)), number, rank);
                });
  return part;
}

}  // namespace cuboid::detail
