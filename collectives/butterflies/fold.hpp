#pragma once

#include <cuboid/shape.hpp>

#include "collectives/butterflies/butterfly.hpp"

#include <vector>

namespace cuboid::detail {

/// The positions of a line that a butterfly's steps are for, in pairs of neighbours. The others, at
/// most two between one pair and the next, each hand over to a neighbour of their own, over a cable
/// that lies within no pair. Lines that are the other way round use other cables.
class CoreLine {
 public:
  /// @param core       how many positions; even and more than half of them, or all.
  /// @param direction  -1: the other way round.
  CoreLine(Axis axis, int core, int direction);

  int extent() const { return axis_.extent; }
  int position(int index) const;
  bool is_surplus(int position) const { return onto(position) != position; }
  /// The position that takes over from one beyond the core; itself if it is within.
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

/// Whether a node takes part in a step, or stands by.
bool takes_part(const Shape& shape, const Butterfly& butterfly, int step, NodeIndex node);

/// To whom a node that takes part until then hands over in a fold: nobody if it stays. Along each
/// axis that it is beyond it is a neighbour; meanwhile several take a part each.
std::vector<NodeIndex> folded_onto(const Shape& shape, const Butterfly& butterfly,
                                   const ButterflyStep& fold, NodeIndex node);

/// Whether a node is beyond the core of an axis.
bool is_surplus(const Shape& shape, const Butterfly& butterfly, int axis, NodeIndex node);

/// Who hands over to a node of the core.
std::vector<NodeIndex> folded_from(const Shape& shape, const Butterfly& butterfly,
                                   const ButterflyStep& fold, NodeIndex node);

/// How many nodes hand over to the same one at most: one for each of the axes, and for those beyond
/// several of them; meanwhile, those nearby.
int most_folded(const ButterflyStep& fold);

/// The fold of an axis during the last of the steps that a butterfly takes so far. Those along the
/// axis cut a message into parts, and of each part the nearest that keeps it takes over, on both
/// sides in turns.
ButterflyStep overlapped_fold(const Shape& shape, const Butterfly& butterfly, int axis);

}  // namespace cuboid::detail
