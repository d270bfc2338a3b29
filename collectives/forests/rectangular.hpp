#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/parts.hpp"

#include <vector>

namespace cuboid::detail {

/// Edge-disjoint spanning trees of a shape, one per colour, over the places of its nodes, so that a
/// message cut into as many slices flows at the rate of all of them (Solomonik et al. 2011, §2).
/// Two sets of them:
///
/// - `every_link`: two colours for each axis that wraps, one for each that does not. These are as
///   many as there are links into a corner (on a torus: into any node), the greatest number there
///   can be, for any mix of axes. Depth at most Σ(l_i − 1) + 1.
/// - `shortest`: one colour per axis, going both ways round the axes that wrap. Depth at most Σ
///   h_i + 1, h_i being ⌊l_i / 2⌋ where axis i wraps and l_i − 1 if it does not.
///
/// Axes of extent 1 are left out; a single node has no trees. Wrapping axes of extent 2, whose two
/// nodes are joined by two cables: where all axes wrap, two trees may have the same edge, each on a
/// cable of its own; beside axes that do not wrap, only one of the cables is used, which can be
/// fewer colours than the cut allows.
enum class Colours { every_link, shortest };

/// Throws Error(invalid_argument) for a root outside the shape.
std::vector<std::vector<Edge>> rectangular_trees(const Shape& shape, NodeIndex root,
                                                 Colours colours = Colours::every_link);

/// One node's part in each of these trees. Along axes that wrap it is arithmetic. If some axis does
/// not wrap, the trees of one slice of the shape across the last such axis are made. Throws
/// Error(invalid_argument) as rectangular_trees() does.
std::vector<TreeNeighbours> rectangular_neighbours(const Shape& shape, NodeIndex root,
                                                   NodeIndex node,
                                                   Colours colours = Colours::every_link);

/// The number of trees that rectangular_trees() gives, and the depth of the deepest tree whose root
/// is in a corner.
int rectangular_colours(const Shape& shape, Colours colours);
int rectangular_depth(const Shape& shape, Colours colours);

}  // namespace cuboid::detail
