#pragma once

#include <cuboid/collectives/contract.hpp>
#include <cuboid/collectives/forest.hpp>
#include <cuboid/collectives/group_shape.hpp>
#include <cuboid/topology/shape.hpp>

#include <vector>

namespace cuboid {

/// Edge-disjoint spanning trees of a shape, one per colour, over the places of its nodes: together
/// they use every link out of the root, so that a message cut into as many slices flows at the rate
/// of all of them (004 §2).
///
/// Torus: 2d trees, one per axis a and direction s. In coordinates relative to the root and
/// mirrored by s, tree (a, s) is a line along a; then, for each further axis in turn (mod d), lines
/// along it from every node reached but the root; last the nodes with x_a = 0 from those with x_a =
/// l_a − 1, over the wrap link. Depth at most Σ(l_i − 1) + 1. Mesh: d trees. Lines leave both ways,
/// and the nodes with x_a = 0 are reached from x_a = ±1, over links on which no other colour flows.
///
/// Axes of extent 1 are left out; a single node has no trees. Throws Error(unsupported) for shapes
/// with both torus and mesh axes, and Error(invalid_argument) for a root outside the shape.
std::vector<std::vector<Edge>> rectangular_trees(const Shape& shape, NodeIndex root);

/// Whether rectangular_trees() is defined for a shape, and gives any.
bool has_rectangular_trees(const Shape& shape);

/// Every block of a contract over the rectangular trees out of its origin (multicast) or towards
/// its destination (combine; place 0 where every rank is one), cut into one slice per colour.
/// Slices are whole elements. Cost with c colours of depth D and segments of s bytes, α and β those
/// of one link (004 eq 6, in Hockney's terms): (m/(c·s) + D − 1)·(α + β·s) for a broadcast or
/// reduction; twice that for an all-reduce, whose two flows share the links.
Forest rectangular_forest(const Contract& contract, Flow flow, const GroupShape& group,
                          std::size_t element_bytes);

}  // namespace cuboid
