#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/parts.hpp"

#include <vector>

namespace cuboid::detail {

/// Edge-disjoint spanning trees of a shape, one per colour, over the places of its nodes. A message
/// cut into as many slices flows at the rate of all trees together (Solomonik et al. 2011, §2).
/// There are two sets of colours:
///
/// - `every_link`: two colours for each axis that wraps, and one for each other axis. These are as
///   many as there are links into a corner (on a torus: into any node), which is the greatest
///   number possible, for any mix of axes. Depth at most Σ(l_i − 1) + 1.
/// - `shortest`: one colour per axis, which goes both ways round an axis that wraps. Depth at most
///   Σ h_i + 1, where h_i is ⌊l_i / 2⌋ if axis i wraps and l_i − 1 otherwise.
///
/// Axes of extent 1 are left out; a single node has no trees. On a wrapping axis of extent 2, two
/// cables join the two nodes. If all axes wrap, two trees may have the same edge there, each on a
/// cable of its own. If some axes do not wrap, only one of the two cables is used, which may mean
/// fewer colours than the cut allows.
enum class Colours { every_link, shortest };

/// The trees out of this root. Throws Error(invalid_argument) for a root outside the shape.
std::vector<std::vector<Edge>> rectangular_trees(const Shape& shape, NodeIndex root,
                                                 Colours colours = Colours::every_link);

/// One node's part in each of these trees. Along axes that wrap it is arithmetic. If some axis does
/// not wrap, the trees of one level of the shape across the last such axis are made. Throws
/// Error(invalid_argument) like rectangular_trees().
std::vector<TreeNeighbours> rectangular_neighbours(const Shape& shape, NodeIndex root,
                                                   NodeIndex node,
                                                   Colours colours = Colours::every_link);

/// The number of trees that rectangular_trees() returns, and the depth of the deepest tree if the
/// root is in a corner.
int rectangular_colours(const Shape& shape, Colours colours);
int rectangular_depth(const Shape& shape, Colours colours);

}  // namespace cuboid::detail
