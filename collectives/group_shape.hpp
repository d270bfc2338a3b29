#pragma once

#include <cuboid/topology/discovery.hpp>
#include <cuboid/topology/shape.hpp>

#include <optional>
#include <span>
#include <vector>

namespace cuboid {

/// The cuboid of nodes that the ranks of a group fill, one rank to a node.
struct GroupShape {
  Shape shape;                       ///< a line, a plane, the whole network, …
  std::vector<int> rank_of_place;    ///< by index in `shape`
  double link_bytes_per_second = 0;  ///< of the slowest axis; 0 where it is not known
};

/// Where a group lies in the network that was discovered; nullopt where its nodes do not fill a box
/// of an undamaged shape, or share nodes.
/// @param world_ranks  the group's ranks as numbers of `discovery.node_of_rank`, in the group's
/// order.
std::optional<GroupShape> shape_of_group(const Discovery& discovery,
                                         std::span<const int> world_ranks);

}  // namespace cuboid
