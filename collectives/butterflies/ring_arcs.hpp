#pragma once

#include <vector>

namespace cuboid::detail {

/// Neighbours on a ring, as one node of it sees them: so many on either side of a centre that lies
/// so far above the node.
struct RingArc {
  int centre = 0;
  int down = 0;
  int up = 0;

  int reach(int side) const { return side > 0 ? up : down; }
};

/// A ring as so many arcs of about equal length, the first around the node itself.
std::vector<RingArc> ring_arcs(int extent, int count);

}  // namespace cuboid::detail
