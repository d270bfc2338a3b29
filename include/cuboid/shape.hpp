#pragma once

#include <cuboid/export.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid {

/// One axis of a shape: how many nodes it has and whether the last is cabled back to the first.
/// Extent 1: no cables. Extent 2: one cable on a mesh axis (wraps = false), two on a torus axis
/// (wraps = true).
struct Axis {
  int extent = 1;
  bool wraps = false;
  bool operator==(const Axis&) const = default;
};

/// A node's place in a shape, one number per axis, 0 <= coordinate[a] < extent[a].
using Coordinate = std::vector<int>;

/// The index of a node in a shape: row-major, the last axis fastest.
using NodeIndex = std::int64_t;

/// A cuboid of nodes: axes with extents, each wrapping (torus) or not (mesh). A value; cheap to
/// copy.
class CUBOID_API Shape {
 public:
  /// A single node: no axes.
  Shape() = default;
  /// Throws Error(invalid_argument) for an extent < 1, more than max_axes axes, or more than 2^31 -
  /// 1 nodes.
  explicit Shape(std::vector<Axis> axes);

  static constexpr int max_axes = 8;

  static Shape torus(std::span<const int> extents);
  static Shape mesh(std::span<const int> extents);
  /// `dimensions` mesh axes of extent 2.
  static Shape hypercube(int dimensions);

  int dimensions() const { return static_cast<int>(axes_.size()); }
  int extent(int axis) const { return axes_[static_cast<std::size_t>(axis)].extent; }
  bool wraps(int axis) const { return axes_[static_cast<std::size_t>(axis)].wraps; }
  const std::vector<Axis>& axes() const { return axes_; }
  NodeIndex nodes() const;

  /// How much a node's index grows with one step along `axis`: the product of the extents after it.
  NodeIndex stride(int axis) const;

  /// Throws Error(invalid_argument) where `node` is not in the shape.
  Coordinate coordinate(NodeIndex node) const;
  /// Throws Error(invalid_argument) where `coordinate` is not in the shape.
  NodeIndex index(std::span<const int> coordinate) const;

  /// The node one cable away from `node` along `axis` in `direction` (+1 or -1), or -1 where a mesh
  /// ends (and on every axis of extent 1). On a torus axis of extent 2 both directions lead to the
  /// same node, over different cables.
  NodeIndex neighbour(NodeIndex node, int axis, int direction) const;

  /// Cables on the shortest way between two nodes.
  int distance(NodeIndex from, NodeIndex to) const;

  /// Cables of the shape; each one is two links.
  std::int64_t cables() const;

  /// The shape as a person writes it: "torus:4x3,mesh:2"; "node" for a single one. parse_shape()
  /// (shape_spec.hpp) reads it back.
  std::string to_string() const;

  bool operator==(const Shape&) const = default;

 private:
  std::vector<Axis> axes_;
};

/// A shape and how fast its cables are.
struct ShapeSpec {
  Shape shape;
  /// One rate per axis, each way of each cable; 0 where it is not known.
  std::vector<double> bytes_per_second;
  bool operator==(const ShapeSpec&) const = default;
};

/// A shape as a person writes it: parts joined by commas, each giving the next axes.
///   torus:8x8x8   mesh:4x4   torus:4x3,mesh:2   hypercube:4 (mesh axes of extent 2)   ring:8
///   torus:4x4@100mbit (every axis of the part)   torus:4x4@100mbit/50mbit (one rate per axis)
///   node (no axes)
/// Rates as in parse_rate(). Throws Error(parse): one line with the position, what stands there and
/// the remedy.
CUBOID_API ShapeSpec parse_shape(std::string_view text);

/// The text that parse_shape() reads back as the same shape and rates.
CUBOID_API std::string to_string(const ShapeSpec& spec);

}  // namespace cuboid
