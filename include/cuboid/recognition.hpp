#pragma once

#include <cuboid/export.hpp>
#include <cuboid/network.hpp>
#include <cuboid/shape.hpp>

#include <span>
#include <string>
#include <vector>

namespace cuboid {

/// A cable of a shape: the one that leaves `from` in + direction along `axis`.
struct ShapeCable {
  NodeIndex from = 0;
  int axis = 0;
  bool operator==(const ShapeCable&) const = default;
};

/// What recognise() found: the cuboid, where every node of the network lies in it, and what is odd
/// about it.
///
/// The cuboid's own graph, less `missing_cables` and `missing_nodes`, and the network, less
/// `left_over_nodes` and `left_over_cables`, are the same graph under `place`: this has been
/// checked by comparing them (reproduces()).
struct CUBOID_API Recognition {
  /// True: the network is the cuboid, less what is missing. False: it is not; what follows is the
  /// largest cuboid that was found inside it, complete, and what is left over.
  bool whole = false;

  /// Extents in a fixed order: wrapping axes first, then large extents, then fast cables. The name
  /// with the fewest axes is given: two equal mesh axes of extent 2 are a torus axis of extent 4
  /// (the same graph, so hypercube:4 is torus:4x4).
  Shape shape;
  /// The rate of one link between neighbours along each axis, each way, parallel cables added up;
  /// the commonest where they differ; 0 where it is not known.
  std::vector<double> bytes_per_second;
  /// How many cables in parallel each cable of the shape is, per axis; 1 nearly always.
  std::vector<int> parallel_cables;

  /// The place in the shape of each node of the network, -1 for those left over. A host that hangs
  /// off a switch is where its switch is.
  std::vector<NodeIndex> place;
  /// The shape's nodes are the network's switches, with hosts hanging off them.
  bool through_switches = false;

  std::vector<NodeIndex> missing_nodes;     ///< places of the shape without a node
  std::vector<ShapeCable> missing_cables;   ///< cables between nodes that are there, once per cable
  std::vector<ShapeCable> off_rate_cables;  ///< cables there whose rate is not their axis's
  bool has_slow_cables = false;             ///< whether any of these is slower
  std::vector<int> left_over_nodes;         ///< nodes of the network outside the cuboid
  std::vector<int>
      left_over_cables;  ///< cables of the network (numbers) that the cuboid does not explain

  /// One line for a person: "torus:4x4 less 1 cable", "not a cuboid; the largest cuboid found
  /// inside is ...".
  std::string explanation() const;
};

/// Finds the cuboid a network is, whatever its nodes are called and in whatever order its cables
/// come: torus, mesh, mixed, hypercube, up to Shape::max_axes axes, with dead cables and missing
/// nodes. A switch or node that hosts hang off counts as one node of the shape.
///
/// An undamaged network is recognised always, in time near-linear in its size. Of a damaged one,
/// the reading with the least damage that was found is given; that a smaller one exists is excluded
/// only by what the search covers (see recognition/search.hpp). A network too damaged to tell is
/// reported as not a cuboid.
CUBOID_API Recognition recognise(const Network& network);

/// Whether a recognition is true: rebuilds the graph of its shape, takes away what it says is
/// missing, and compares with the network cable by cable.
CUBOID_API bool reproduces(const Network& network, const Recognition& recognition);

}  // namespace cuboid
