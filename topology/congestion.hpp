#pragma once

#include <cuboid/topology/grid.hpp>

#include <span>
#include <vector>

namespace cuboid {

/// What a communication pattern along one axis of a grid does to the network. Routes are
/// dimension-ordered, the shortest way (routing.hpp); within a node nothing is counted.
struct PatternLoad {
  /// Most links that one message crosses.
  int dilation = 0;
  /// Messages on the busiest link. Where links have different rates, a message on a link at 1/k of
  /// the rate of the fastest axis counts k times. 1 is what a pattern that leaves the nodes costs
  /// at best.
  double worst_link = 0;
  bool operator==(const PatternLoad&) const = default;
};

/// A message from one node to another.
struct Passage {
  NodeIndex from = 0;
  NodeIndex to = 0;
};

/// All of these messages at once.
PatternLoad passages_load(const Shape& shape, std::span<const Passage> passages);

/// Every rank sends one message to the next of its line, the last to the first (a step of Cannon's
/// algorithm). `bytes_per_second` has a rate per axis of the shape, or is empty; 0 is taken for the
/// fastest.
PatternLoad shift_load(const Grid& grid, int axis, std::span<const double> bytes_per_second = {});

/// In every line at once, the first rank broadcasts one message to the others, over the tree that
/// the routes to them make: a line loads each of its links once (a step of SUMMA with multicasts
/// over the network).
PatternLoad broadcast_load(const Grid& grid, int axis,
                           std::span<const double> bytes_per_second = {});

}  // namespace cuboid
