#pragma once

#include <cuboid/collectives/group_nodes.hpp>
#include <cuboid/models/hockney.hpp>

namespace cuboid {

/// What a group's messages travel over.
struct Surroundings {
  GroupNodes nodes;
  Hockney network;  ///< of one message between nodes, on an otherwise idle network
  Hockney node;     ///< of one message within a node

  int ranks() const { return nodes.ranks(); }
  /// The slowest way between two ranks of the group.
  const Hockney& slowest() const { return nodes.nodes() > 1 ? network : node; }
};

}  // namespace cuboid
