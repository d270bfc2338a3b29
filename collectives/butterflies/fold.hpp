#pragma once

#include <cuboid/shape.hpp>

#include "collectives/butterflies/butterfly.hpp"

#include <vector>

namespace cuboid::detail {

/// The core of a line: the positions that take part in a butterfly's steps, in pairs of neighbours.
/// The other positions are surplus. At most two of them lie between one pair and the next. Each
/// hands over to a neighbour outside its gap, over a link that lies within no pair. A ring of 6
/// with a core of 4:
///
///     0 = 1   2   3 = 4   5      pairs: (0, 1) and (3, 4)
///             2 > 3       5 > 0  surplus positions and the positions that take over
///
/// The line in the other direction is the mirror image and uses other links.
class CoreLine {
 public:
  /// @param core       the number of core positions: even and more than half of the extent, or all.
  /// @param direction  +1, or −1 for the mirror image.
  CoreLine(Axis axis, int core, int direction);

  int extent() const { return axis_.extent; }
  int position(int index) const;
  bool is_surplus(int position) const { return onto(position) != position; }
  /// The position that takes over from a surplus position. A core position returns itself.
  int onto(int position) const;

 private:
  int turned(int position) const { return direction_ < 0 ? axis_.extent - 1 - position : position; }
  int before_pair(int pair) const;
  int pair_at_or_below(int position) const;
  int onto_unturned(int position) const;

  Axis axis_;
  int core_;
  int direction_;
};

/// True if a node takes part in a step. False for a surplus node that stands by.
bool takes_part(const Shape& shape, const Butterfly& butterfly, int step, NodeIndex node);

/// The nodes that take over from `node` in a fold; empty for a node of the core. A fold of several
/// axes moves along each of them at once. In an overlapped fold several nodes take one part each.
std::vector<NodeIndex> folded_onto(const Shape& shape, const Butterfly& butterfly,
                                   const ButterflyStep& fold, NodeIndex node);

/// True if a node's position on an axis is surplus.
bool is_surplus(const Shape& shape, const Butterfly& butterfly, int axis, NodeIndex node);

/// The surplus nodes that hand over to a node of the core.
std::vector<NodeIndex> folded_from(const Shape& shape, const Butterfly& butterfly,
                                   const ButterflyStep& fold, NodeIndex node);

/// The most nodes that hand over to the same node. In a fold of d axes 2^d − 1 neighbours may do
/// so: one beside it on each axis, one beside it on each pair of axes, and so on.
int most_folded(const ButterflyStep& fold);

/// The overlapped fold of an axis, in the round of the last step that the butterfly has so far. Its
/// steps along the axis cut a message into parts. A surplus position hands each part to the nearest
/// position that keeps the part, alternating between both sides.
ButterflyStep overlapped_fold(const Shape& shape, const Butterfly& butterfly, int axis);

}  // namespace cuboid::detail
