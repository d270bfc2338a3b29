#pragma once

#include "collectives/schedules/group_nodes.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

/// The ranks of a group between which messages are measured. Pure functions of the ranks' nodes.

/// One asking rank, and the answering ranks.
struct ProbePlace {
  int asking = 0;
  std::vector<int> answering;
  bool operator==(const ProbePlace&) const = default;
};

/// At most `most` pairs of ranks on two nodes, spread over the network. If cables are known, a
/// cable of the slowest rate joins the two nodes. Empty if all ranks share a node.
std::vector<ProbePlace> pairs_between_nodes(const GroupNodes& nodes, int most);

/// Two ranks that are as many cables apart as possible, one of them on the first node.
struct DistantPair {
  ProbePlace place;
  int cables = 0;
};
/// Finds such a pair; nullopt if all nodes are neighbours, or if cables are unknown or lead to
/// switches.
std::optional<DistantPair> distant_pair(const GroupNodes& nodes);

/// At most `most` pairs of ranks of one node, spread over the nodes with several ranks.
std::vector<ProbePlace> pairs_within_nodes(const GroupNodes& nodes, int most);

/// A rank on the node with most neighbours, and one rank on each neighbour. nullopt if no node is
/// known to have several neighbours.
std::optional<ProbePlace> hub(const GroupNodes& nodes);

/// All ranks of the node with most ranks: one asks, and all others read its memory. nullopt if no
/// node has more than two ranks.
std::optional<ProbePlace> source_within_a_node(const GroupNodes& nodes);

/// The ranks with which `rank` exchanges messages when all ranks do so at once: one rank on each
/// node that a cable joins to its own node. If no cable joins nodes with ranks, the ranks on the
/// next and the previous node. If a rank is a peer of another, the other is also its peer.
std::vector<int> ranks_across_cables(const GroupNodes& nodes, int rank);

}  // namespace cuboid::detail
