#pragma once

#include <cuboid/shape.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cuboid::detail {

/// A box of nodes inside a shape: a line, a plane, a partition, or the whole shape. It begins at
/// its origin and extends in + direction along every axis. On an axis that wraps it may continue at
/// 0. A pure value. Inside the box a node has a local coordinate (0 at the origin) and a place: the
/// row-major index of that coordinate, as in a Shape.
class Cuboid {
 public:
  /// The box that is the whole shape.
  explicit Cuboid(const Shape& shape);
  /// Throws Error(invalid_argument) for an origin outside the shape, extents < 1 or greater than
  /// the shape's, or a box that exceeds an axis that does not wrap.
  Cuboid(Shape shape, Coordinate origin, std::vector<int> extents);

  const Shape& shape() const { return shape_; }
  const Coordinate& origin() const { return origin_; }
  int dimensions() const { return shape_.dimensions(); }
  int extent(int axis) const { return extents_[static_cast<std::size_t>(axis)]; }
  const std::vector<int>& extents() const { return extents_; }
  NodeIndex nodes() const { return inside_.nodes(); }

  /// True if the box itself wraps along `axis`: only if it spans the whole of an axis that wraps.
  bool wraps(int axis) const { return inside_.wraps(axis); }
  /// The box as a shape of its own, with as many axes as the shape that contains it.
  const Shape& inside() const { return inside_; }

  bool contains(std::span<const int> coordinate) const;
  bool contains(NodeIndex node) const { return contains(shape_.coordinate(node)); }

  /// The node of the shape at a place of the box. Throws Error(invalid_argument) for a place
  /// outside.
  NodeIndex node(NodeIndex place) const;
  /// The place of a node in the box; nullopt if the box does not contain it.
  std::optional<NodeIndex> place(NodeIndex node) const;
  /// Every node of the box, in order of place.
  std::vector<NodeIndex> node_list() const;

  /// "4x1x2 at (0,3,1) in torus:4x4x4".
  std::string to_string() const;

  bool operator==(const Cuboid&) const = default;

 private:
  Shape shape_;
  Coordinate origin_;
  std::vector<int> extents_;
  Shape inside_;
};

/// Cuts a shape into parallel boxes that span the axes in `spanned` and have extent 1 along all
/// others, in order of their origins. Throws Error(invalid_argument) for unknown or repeated axes.
std::vector<Cuboid> slices(const Shape& shape, std::span<const int> spanned);
/// All lines along `axis`.
std::vector<Cuboid> lines(const Shape& shape, int axis);
/// All planes along two axes.
std::vector<Cuboid> planes(const Shape& shape, int first_axis, int second_axis);

}  // namespace cuboid::detail
