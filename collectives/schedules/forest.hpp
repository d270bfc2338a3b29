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
  /// From the root outwards: a rank is a child before it is a parent. A parent combines its own
  /// contribution with those of its children in the order of their edges: a lower rank's on the
  /// left, a higher rank's on the right.
  std::vector<Edge> edges = {};
  /// Number of edges, the last ones, that forward within a node. They lead to leaves, from ranks
  /// that keep the slice; one message may carry several segments over them
  /// (Pipelining::segments_per_bundle).
  std::size_t local_fanout = 0;
  /// Distinguishes trees that use the same edge; less than Tag::agreement_channel.
  std::uint32_t channel = 0;
};

/// A collective for long messages: a set of trees, each carrying one slice. Plain data with several
/// readers: the checker proves it, compile() lays it out for the engine.
struct Forest {
  int ranks = 1;
  Flow flow = Flow::multicast;
  std::vector<Tree> trees = {};
};

}  // namespace cuboid::detail
