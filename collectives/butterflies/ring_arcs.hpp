#pragma once

#include <vector>

namespace cuboid::detail {

/// An arc of a ring as a node sees it: its centre is `centre` positions above the node, and the arc
/// extends `down` positions below the centre and `up` positions above it.
struct RingArc {
  int centre = 0;
  int down = 0;
  int up = 0;

  int reach(int side) const { return side > 0 ? up : down; }
};

/// Divides a ring into `count` arcs of about equal length; the node is the centre of the first. A
/// ring of 8 as 2 arcs: centres 0 and 4, each with 1 position below it and 2 above.
std::vector<RingArc> ring_arcs(int extent, int count);

}  // namespace cuboid::detail
