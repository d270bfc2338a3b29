#pragma once

#include <cuboid/export.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid {

/// One axis of a shape: its number of nodes, and whether a cable joins the last to the first.
/// An axis of extent 1 has no cables. An axis of extent 2 has one cable if it is a mesh axis, and
/// two if it is a torus axis (wraps = true).
struct Axis {
  int extent = 1;
  bool wraps = false;
  bool operator==(const Axis&) const = default;
};

/// A node's position in a shape, one number per axis, 0 <= coordinate[a] < extent[a].
using Coordinate = std::vector<int>;

/// The index of a node in a shape: row-major, the last axis fastest.
using NodeIndex = std::int64_t;

/// A cuboid of nodes. Each axis has an extent, and wraps (torus) or does not (mesh). A pure value.
class CUBOID_API Shape {
 public:
  /// A single node: no axes.
  Shape() = default;
  /// Throws Error(invalid_argument) for an extent < 1, more than max_axes axes, or more than 2^31 -
  /// 1 nodes.
  explicit Shape(std::vector<Axis> axes);

  static constexpr int max_axes = 8;

  /// A shape in which every axis wraps. torus(), mesh() and hypercube() throw as the constructor.
  static Shape torus(std::span<const int> extents);
  /// A shape in which no axis wraps.
  static Shape mesh(std::span<const int> extents);
  /// A shape of `dimensions` mesh axes of extent 2.
  static Shape hypercube(int dimensions);

  int dimensions() const { return static_cast<int>(axes_.size()); }
  int extent(int axis) const { return axes_[static_cast<std::size_t>(axis)].extent; }
  bool wraps(int axis) const { return axes_[static_cast<std::size_t>(axis)].wraps; }
  const std::vector<Axis>& axes() const { return axes_; }
  /// The number of nodes.
  NodeIndex nodes() const;

  /// The difference between the indices of two nodes that are one step apart along `axis`: the
  /// product of the extents after it.
  NodeIndex stride(int axis) const;

  /// The coordinate of a node. Throws Error(invalid_argument) if `node` is not in the shape.
  Coordinate coordinate(NodeIndex node) const;
  /// The coordinate of a node along one axis. The node must be in the shape, which is not checked.
  int coordinate(NodeIndex node, int axis) const {
    return static_cast<int>(node / stride(axis) % extent(axis));
  }
  /// The index of a coordinate. Throws Error(invalid_argument) if it is not in the shape.
  NodeIndex index(std::span<const int> coordinate) const;

  /// The node one cable away from `node` along `axis` in `direction` (+1 or -1); -1 at the end of a
  /// mesh axis and on every axis of extent 1. On a torus axis of extent 2 both directions lead to
  /// the same node, over different cables.
  NodeIndex neighbour(NodeIndex node, int axis, int direction) const;

  /// The number of cables on a shortest path between two nodes.
  int distance(NodeIndex from, NodeIndex to) const;

  /// The number of cables; each is two links.
  std::int64_t cables() const;

  /// The shape as text, e.g. "torus:4x3,mesh:2"; "node" for a single node. parse_shape() reads it.
  std::string to_string() const;

  bool operator==(const Shape&) const = default;

 private:
  std::vector<Axis> axes_;
};

/// A shape and the rates of its cables.
struct ShapeSpec {
  Shape shape;
  /// For each axis the rate of each of its cables in each direction, in bytes per second; 0 if
  /// unknown.
  std::vector<double> bytes_per_second;
  bool operator==(const ShapeSpec&) const = default;
};

/// Reads a shape. Parts are joined by commas; each part gives the next axes.
///   torus:8x8x8   mesh:4x4   torus:4x3,mesh:2   hypercube:4 (mesh axes of extent 2)   ring:8
///   torus:4x4@100mbit (every axis of the part)   torus:4x4@100mbit/50mbit (one rate per axis)
///   node (no axes)
/// Rates are in bits per second (100mbit, 1e8) or in bytes (1.5GB/s). Throws Error(parse) with the
/// position, the text found there and the remedy.
CUBOID_API ShapeSpec parse_shape(std::string_view text);

/// The text that parse_shape() reads back as the same shape and rates.
CUBOID_API std::string to_string(const ShapeSpec& spec);

}  // namespace cuboid
