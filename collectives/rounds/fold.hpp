#pragma once

#include "collectives/rounds/butterfly.hpp"

#include <vector>

namespace cuboid::detail {

/// The positions of a line that a butterfly's steps are for: both ends, and others evenly in
/// between. Every other position is beyond the core, and both of its neighbours are within.
class CoreLine {
 public:
  /// @param core  how many positions; more than half of them.
  CoreLine(int extent, int core) : extent_(extent), core_(core) {}

  int position(int index) const;
  bool is_beyond(int position) const;
  /// No core position lies between two that are beyond.
  bool is_sparse() const { return 2 * (extent_ - 1) <= 3 * (core_ - 1); }

 private:
  int extent_;
  int core_;
};

/// Whether a node still takes part after the first steps, or stands by.
bool takes_part(const Shape& shape, const Butterfly& butterfly, int steps, NodeIndex node);

/// To whom a node that takes part until then hands over in a fold; itself if it stays. Along each
/// axis it is a neighbour, in the direction of the butterfly or, from beyond an even number of
/// axes, in the opposite one.
NodeIndex folded_onto(const Shape& shape, const Butterfly& butterfly, const ButterflyStep& fold,
                      NodeIndex node);

/// Who hands over to a node of the core.
std::vector<NodeIndex> folded_from(const Shape& shape, const Butterfly& butterfly,
                                   const ButterflyStep& fold, NodeIndex node);

/// How many nodes hand over to the same one at most.
int most_folded(const Shape& shape, const Butterfly& butterfly, const ButterflyStep& fold);

}  // namespace cuboid::detail
