#pragma once

#include "models/messages/log_gp.hpp"

#include <span>
#include <vector>

namespace cuboid::detail {

/// A spanning tree of nodes, every edge of which is one link, and the bytes that flow through it.
struct PipelinedTree {
  struct Edge {
    int parent = 0;
    int child = 0;
  };
  int root = 0;
  std::vector<Edge> edges;
  double bytes = 0;
};

/// From the root to all; from all to the root, combined on the way; or first the one, then the
/// other.
enum class TreeFlow { outwards, inwards, inwards_then_outwards };

/// What a tree's edges cost, apart from LogGP's parameters.
struct TreeSegments {
  double bytes = 65536;                 ///< of a segment
  double link_seconds = 0;              ///< that a link is taken up by each, beside its bytes
  double combine_seconds_per_byte = 0;  ///< of the processor that combines
};

/// Seconds of trees that flow at once, segment by segment: a recurrence along each tree instead of
/// simulate(), for networks of hundreds of thousands of nodes. Segment s leaves over a link once it
/// is there and the link is through with s − 1. Time: edges × segments; memory: edges, and one
/// tree's depth × segments.
///
/// Equal to simulate() for one tree, and for trees no two of which use a link in the same direction
/// where processors are never busy (o = 0, nothing to combine). With several trees a processor's
/// work for the others is reckoned with only in so far as no node can be done before it has done
/// all its work; the two directions of inwards_then_outwards likewise.
double tree_pipeline_seconds(int nodes, std::span<const PipelinedTree> trees, TreeFlow flow,
                             const TreeSegments& segments, const LogGP& network);

}  // namespace cuboid::detail
