#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/parts.hpp"

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// The tree of one colour on the axes of a torus (Solomonik et al. 2011, §2). Coordinates are
/// relative to the root and mirrored by the colour's direction s. Colour (a, s) begins with a line
/// along axis a. For each further axis in cyclic order, a line along that axis starts at every node
/// reached before, except the root. Last, the wrap links from x_a = l_a − 1 reach the nodes with
/// x_a = 0. The colours of one direction use only links of that direction.
class TorusTree {
 public:
  /// @param shape, axes  must outlive the object; the tree spans these axes, all of which wrap
  /// @param first        the index of axis a among `axes`
  TorusTree(const Shape& shape, NodeIndex root, int direction, const std::vector<int>& axes,
            std::size_t first)
      : shape_(shape), root_(root), direction_(direction), axes_(axes), first_(first) {}

  /// The whole tree.
  std::vector<Edge> edges() const;

  /// One node's part in the tree, by arithmetic.
  TreeNeighbours neighbours(NodeIndex node) const;

 private:
  int axis_at(std::size_t position) const { return axes_[(first_ + position) % axes_.size()]; }
  NodeIndex next(NodeIndex node, int axis) const {
    return shape_.neighbour(node, axis, direction_);
  }
  NodeIndex previous(NodeIndex node, int axis) const {
    return shape_.neighbour(node, axis, -direction_);
  }
  int steps_from_root(NodeIndex node, int axis) const;
  void add_line(NodeIndex from, int axis, std::vector<Edge>& edges) const;

  const Shape& shape_;
  NodeIndex root_;
  int direction_;
  const std::vector<int>& axes_;
  std::size_t first_;
};

}  // namespace cuboid::detail
