#pragma once

#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/group_nodes.hpp"
#include "collectives/schedules/parts.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// A spanning tree of a group's nodes, from its root outwards.
struct NodeTree {
  std::vector<Edge> edges;
  double share = 1;  ///< its share of the message, in proportion to the other trees' shares
};

/// Turns a tree over nodes into a tree over their ranks. On each node one rank, the owner of the
/// tree, receives from the parent node, sends to the child nodes, and forwards to the other ranks
/// of its node. The root sends to the owner on its node. So data crosses between two nodes only on
/// edges of the tree. Owners alternate: the local rank (number mod ranks of the node) owns tree
/// `number`.
/// @param root  a rank of the tree's root node; nullopt: the owner on that node
struct LiftedTree {
  int root = 0;
  std::vector<Edge> edges;
  std::size_t local_fanout = 0;  ///< see Tree::local_fanout
};
LiftedTree lift_to_ranks(std::span<const Edge> node_edges, const GroupNodes& group,
                         std::optional<int> root, std::size_t number);

/// A forest whose trees are spanning trees of the group's nodes, lifted to its ranks. A block
/// travels over the trees out of its origin (multicast) or towards its destination (combine), cut
/// into one slice of whole elements per tree. A block of an all-reduce has neither origin nor
/// destination: it is cut into equal parts for `roots` nodes spread over the group. Each part is
/// combined at its node and multicast from it. With as many roots as nodes, a symmetric network is
/// loaded evenly.
/// @param trees_from  the trees out of a node; called once per root. The trees of a block without
///         origin and destination may have any roots.
Forest forest_over_nodes(const Conditions& conditions, Flow flow, const GroupNodes& group,
                         std::size_t element_bytes, int roots,
                         const std::function<std::vector<NodeTree>(int node)>& trees_from);

/// One node's part in a spanning tree of a group's nodes.
struct NodePart {
  TreeNeighbours neighbours;
  double share = 1;  ///< see NodeTree::share
};

/// One rank's part in the forest of forest_over_nodes(), computed from the parts of its node in the
/// trees.
/// @param parts_from  the part of `rank`'s node in the trees out of a node
ForestPart part_over_nodes(const Conditions& conditions, Flow flow, const GroupNodes& group,
                           std::size_t element_bytes, int roots, int rank,
                           const std::function<std::vector<NodePart>(int root)>& parts_from);

}  // namespace cuboid::detail
