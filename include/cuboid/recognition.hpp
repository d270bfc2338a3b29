#pragma once

#include <cuboid/export.hpp>
#include <cuboid/network.hpp>
#include <cuboid/shape.hpp>

#include <span>
#include <string>
#include <vector>

namespace cuboid {

/// A cable of a shape: the cable that leaves `from` in + direction along `axis`.
struct ShapeCable {
  NodeIndex from = 0;
  int axis = 0;
  bool operator==(const ShapeCable&) const = default;
};

/// The result of recognise(): the cuboid, the position of every node in it, and the deviations.
///
/// `place` maps two graphs onto each other: the cuboid's graph without `missing_cables` and
/// `missing_nodes`, and the network without `left_over_nodes` and `left_over_cables`. recognise()
/// has verified by comparison that they are the same graph (reproduces()).
struct CUBOID_API Recognition {
  /// True: the network is the cuboid, apart from the missing nodes and cables. False: it is not;
  /// the members below describe the largest complete cuboid that was found inside it, and what is
  /// left over.
  bool whole = false;

  /// Axes stand in the order in which nodes are numbered, the last axis fastest; if numbers show no
  /// order, wrapping axes first, then large extents. Of several shapes with the same graph it is
  /// the one with the fewest axes: mesh axes of 2 pair up to torus axes of 4, hypercube:4 is
  /// torus:4x4.
  Shape shape;
  /// The rate of a link between neighbours along each axis, per direction, with the rates of
  /// parallel cables added up. If the rates of an axis differ, it is the most common one. 0 if
  /// unknown.
  std::vector<double> bytes_per_second;
  /// The number of parallel cables per cable of the shape, for each axis; nearly always 1.
  std::vector<int> parallel_cables;

  /// For each node of the network, its index in the shape; -1 for nodes left over. A host that is
  /// attached to a switch has the index of its switch.
  std::vector<NodeIndex> place;
  /// True if the shape's nodes are the network's switches, with hosts attached to them.
  bool through_switches = false;

  std::vector<NodeIndex> missing_nodes;     ///< indices in the shape without a node
  std::vector<ShapeCable> missing_cables;   ///< between present nodes, one entry per cable
  std::vector<ShapeCable> off_rate_cables;  ///< present cables whose rate differs from their axis's
  std::vector<ShapeCable> slow_cables;      ///< the off-rate cables that are slower than their axis
  std::vector<int> left_over_nodes;         ///< nodes of the network outside the cuboid
  /// Numbers of cables of the network that the cuboid does not have.
  std::vector<int> left_over_cables;

  /// The result as one line of text: "torus:4x4 less 1 cable", "not a cuboid; the largest cuboid
  /// found inside is ...".
  std::string explanation() const;
};

/// Finds the cuboid that a network is, independently of the names of nodes and the order of cables:
/// a torus, a mesh, a mixture of both, or a hypercube, of up to Shape::max_axes axes, with dead
/// cables and missing nodes. A switch with its hosts counts as one node of the shape.
///
/// Undamaged networks are always recognised, in near-linear time. For a damaged network, the result
/// is the shape with the least damage that the search found. A network that is too damaged is
/// reported as not a cuboid. Throws Error(invalid_argument) for a network without nodes.
CUBOID_API Recognition recognise(const Network& network);

/// Verifies a recognition: builds the graph of its shape, removes what is missing, and compares it
/// with the network cable by cable.
CUBOID_API bool reproduces(const Network& network, const Recognition& recognition);

}  // namespace cuboid
