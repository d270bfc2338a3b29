#pragma once

#include "models/messages/log_gp.hpp"

#include <span>
#include <vector>

namespace cuboid::detail {

/// A spanning tree of nodes whose edges are links, and the bytes that flow through it.
struct PipelinedTree {
  struct TreeLink {
    int parent = 0;
    int child = 0;
  };
  int root = 0;
  std::vector<TreeLink> edges;
  double bytes = 0;
};

/// The direction of a tree's data: from the root to all; from all to the root, combined on the way;
/// or first to the root and then to all.
enum class TreeFlow { outwards, inwards, inwards_then_outwards };

/// The parameters of segments on a tree's edges, besides LogGP's.
struct TreeSegments {
  double bytes = 65536;                 ///< bytes of a segment
  double link_seconds = 0;              ///< link time per segment, beside its bytes
  double combine_seconds_per_byte = 0;  ///< seconds per byte of the processor that combines
  int in_flight = 0;                    ///< segments in flight per edge; 0: any number
};

/// The seconds of trees that are under way at the same time, segment by segment. It uses a
/// recurrence along each tree in place of simulate(), for networks of hundreds of thousands of
/// nodes: segment s leaves over a link when it has arrived, when the link has finished segment s −
/// 1, and when the other end has segment s − in_flight. Time: edges × segments; memory: edges, and
/// one tree's depth × segments.
///
/// The result equals simulate()'s for one tree, and for several trees that share no directed link
/// if processors are never busy (o = 0, nothing to combine). Otherwise a processor's work for other
/// trees, or for the other direction of inwards_then_outwards, counts only as a lower bound: no
/// node is done before it has done all its work.
double tree_pipeline_seconds(int nodes, std::span<const PipelinedTree> trees, TreeFlow flow,
                             const TreeSegments& segments, const LogGP& network);

}  // namespace cuboid::detail
