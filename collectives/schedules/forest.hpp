#pragma once

#include "collectives/schedules/conditions.hpp"

#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// The direction in which data flows through the trees of a forest.
enum class Flow {
  multicast,               ///< from the roots outwards
  combine,                 ///< towards the roots, combining on the way
  combine_then_multicast,  ///< towards the roots, then outwards again over the same edges
};

/// Data passes between a parent and its child, in the direction of the forest's flow.
struct Edge {
  int parent = 0;
  int child = 0;
  bool operator==(const Edge&) const = default;
};

/// One tree and the slice of the message it carries.
struct Tree {
  int block = 0;  ///< which block of the conditions the slice is part of
  Slice slice = {};
  int root = 0;
  /// The edges from the root outwards: a rank is a child before it is a parent. A parent combines
  /// its own contribution with those of its children in the order of their edges, a lower rank's on
  /// the left and a higher rank's on the right.
  std::vector<Edge> edges = {};
  /// The last `local_fanout` edges forward the slice within a node, from ranks that keep it to
  /// leaves. A message over such an edge may carry several segments
  /// (Pipelining::segments_per_bundle).
  std::size_t local_fanout = 0;
  /// Distinguishes trees that use the same edge; less than Tag::agreement_channel.
  std::uint32_t channel = 0;
};

/// A collective for long messages: a set of trees, each of which carries one slice. It is plain
/// data: the checker proves it, and compile() makes the engine's schedules from it.
struct Forest {
  int ranks = 1;
  Flow flow = Flow::multicast;
  std::vector<Tree> trees = {};
};

}  // namespace cuboid::detail
