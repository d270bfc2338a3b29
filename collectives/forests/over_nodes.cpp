#include "collectives/forests/over_nodes.hpp"

#include "collectives/schedules/slices.hpp"

#include <utility>

namespace cuboid::detail {

namespace {

// The local rank that handles a tree on a node.
int owner(const GroupNodes& group, int node, std::size_t number) {
  const auto& ranks = group.ranks_of_node[static_cast<std::size_t>(node)];
  return ranks[number % ranks.size()];
}

class Planter {
 public:
  Planter(const Conditions& conditions, Flow flow, const GroupNodes& group,
          std::size_t element_bytes, const std::function<std::vector<NodeTree>(int)>& trees_from)
      : group_(group),
        node_of_rank_(group.node_of_rank()),
        element_bytes_(element_bytes),
        trees_from_(trees_from),
        forest_{.ranks = conditions.ranks, .flow = flow} {}

  void from_rank(int block, Slice slice, int root) {
    forest_from_tree(block, slice, node_of_rank_[static_cast<std::size_t>(root)],
                     [&](std::size_t) { return root; });
  }

  // From the owner on the node, whichever rank that is.
  void from_node(int block, Slice slice, int node) {
    forest_from_tree(block, slice, node,
                     [&](std::size_t number) { return owner(group_, node, number); });
  }

  Forest forest() && { return std::move(forest_); }

 private:
  template <class RootOf>
  void forest_from_tree(int block, Slice slice, int node, const RootOf& root_of) {
    const std::vector<NodeTree> trees = trees_from_(node);
    std::vector<double> shares;
    for (const NodeTree& tree : trees) shares.push_back(tree.share);
    const std::vector<Slice> slices = cut(slice, shares, element_bytes_);
    for (std::size_t i = 0; i < trees.size(); ++i) {
      const std::size_t number = forest_.trees.size();
      const int root = root_of(number);
      LiftedTree lifted = lift_to_ranks(trees[i].edges, group_, root, number);
      forest_.trees.push_back({.block = block,
                               .slice = slices[i],
                               .root = root,
                               .edges = std::move(lifted.edges),
                               .local_fanout = lifted.local_fanout,
                               .channel = static_cast<std::uint32_t>(number)});
    }
  }

  const GroupNodes& group_;
  std::vector<int> node_of_rank_;
  std::size_t element_bytes_;
  const std::function<std::vector<NodeTree>(int)>& trees_from_;
  Forest forest_;
};

}  // namespace

LiftedTree lift_to_ranks(std::span<const Edge> node_edges, const GroupNodes& group, int root,
                         std::size_t number) {
  std::vector<Edge> edges;
  std::vector<bool> is_child(group.ranks_of_node.size(), false);
  for (const auto& [parent, child] : node_edges) is_child[static_cast<std::size_t>(child)] = true;
  int root_node = 0;
  while (is_child[static_cast<std::size_t>(root_node)]) ++root_node;

  // What goes to other nodes goes first: that way is the longer one.
  const int root_owner = owner(group, root_node, number);
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
  return {std::move(edges), local_fanout};
}

Forest forest_over_nodes(const Conditions& conditions, Flow flow, const GroupNodes& group,
                         std::size_t element_bytes, int roots,
                         const std::function<std::vector<NodeTree>(int)>& trees_from) {
  Planter planter(conditions, flow, group, element_bytes, trees_from);
  for (std::size_t number = 0; number < conditions.blocks.size(); ++number) {
    const Block& block = conditions.blocks[number];
    const auto root = flow == Flow::multicast ? block.before : block.after;
    if (root) {
      planter.from_rank(static_cast<int>(number), block.slice, *root);
      continue;
    }
    const auto parts = cut(block.slice, static_cast<std::size_t>(roots), element_bytes);
    for (int part = 0; part < roots; ++part) {
      planter.from_node(static_cast<int>(number), parts[static_cast<std::size_t>(part)],
                        static_cast<int>(std::int64_t{part} * group.nodes() / roots));
    }
  }
  return std::move(planter).forest();
}

}  // namespace cuboid::detail
