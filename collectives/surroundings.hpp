#pragma once

#include <cuboid/collectives/group_nodes.hpp>
#include <cuboid/models/hockney.hpp>
#include <cuboid/models/node_memory.hpp>

namespace cuboid {

/// What a group's messages travel over.
struct Surroundings {
  GroupNodes nodes;
  Hockney network;            ///< of one message between nodes, on an otherwise idle network
  Hockney node;               ///< of one message within a node
  double ranks_per_core = 1;  ///< on a node; at least 1

  int ranks() const { return nodes.ranks(); }
  /// What a group on one node communicates through.
  NodeMemory memory() const { return {.message = node, .ranks_per_core = ranks_per_core}; }
  /// The slowest way between two ranks of the group.
  const Hockney& slowest() const { return nodes.nodes() > 1 ? network : node; }
};

}  // namespace cuboid
