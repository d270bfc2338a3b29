#pragma once

#include "collectives/schedules/group_nodes.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

/// Between which ranks of a group messages are measured. Pure functions of where the ranks are.

/// One rank that asks, and those that answer.
struct ProbePlace {
  int asking = 0;
  std::vector<int> answering;
  bool operator==(const ProbePlace&) const = default;
};

/// At most `most` pairs on two nodes each, with a cable of the slowest rate between them where
/// cables are known, spread over the network. None where all ranks share a node.
std::vector<ProbePlace> pairs_between_nodes(const GroupNodes& nodes, int most);

/// Two ranks as many cables apart as any are from the first node's.
struct DistantPair {
  ProbePlace place;
  int cables = 0;
};
/// nullopt where all are neighbours, and where their cables are not known or lead to switches.
std::optional<DistantPair> distant_pair(const GroupNodes& nodes);

/// At most `most` pairs on a node, spread over the nodes with several ranks.
std::vector<ProbePlace> pairs_within_nodes(const GroupNodes& nodes, int most);

/// A rank on the node with most neighbours, and one on each of these; nullopt if no node is
/// known to have several.
std::optional<ProbePlace> hub(const GroupNodes& nodes);

/// All ranks of the node with most ranks, one of which the others read; nullopt if no node has more
/// than two.
std::optional<ProbePlace> source_within_a_node(const GroupNodes& nodes);

/// Whom a rank exchanges messages with when all do so at once: one rank on each node that a cable
/// joins to its own, the ones next in number where no cable joins nodes with ranks. Where a rank
/// has another among them, it is among the other's.
std::vector<int> ranks_across_cables(const GroupNodes& nodes, int rank);

}  // namespace cuboid::detail
