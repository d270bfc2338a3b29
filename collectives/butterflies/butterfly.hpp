#pragma once

#include <cuboid/shape.hpp>

#include "collectives/butterflies/ring_arcs.hpp"

#include <vector>

namespace cuboid::detail {

/// A step of a butterfly. Along one axis of a shape groups of as many nodes as the radix, each of
/// which stands for one digit, exchange with each other, the same on all lines of the axis. Or it
/// is a fold: the nodes beyond the core of some axes hand over what they have to nodes of the core,
/// stand by from then on, and get the result from them at last. Or a ring is arcs, seen from each
/// of its nodes: of what each node is to keep a part for every arc is combined on its way from
/// neighbour to neighbour, from both ends of the arc to its centre. If there are several arcs, a
/// later step collects the parts: each centre sends straight to the node that keeps what it has.
struct ButterflyStep {
  int axis = 0;             ///< of a fold, the first that it folds
  int radix = 2;            ///< 1: a fold
  std::vector<int> digit;   ///< by position on the axis
  std::vector<int> member;  ///< by position · radix + digit: the position of whom a node meets. Of
                            ///< a fold in parts by position · parts + part: who takes over from one
                            ///< beyond the core. Empty of a ring
  std::vector<int> folded = {};  ///< axes
  int parts = 1;  ///< of a fold: that those beyond the core hand over; if it is more than one, they
                  ///< do so in the round of the step before; see FoldTime::overlapped
  std::vector<RingArc> arcs = {};  ///< of a ring
  bool collects = false;           ///< from arcs, along which an earlier step passed on

  bool is_fold() const { return radix == 1; }
  bool is_overlapped() const { return parts > 1; }
  bool passes_on() const { return !arcs.empty() && !collects; }
  /// How far the longest arc goes up (+1) or down (−1) from its centre.
  int reach(int side) const;
  /// Whether a position takes over a part from one beyond the core.
  bool takes_over(int position, int surplus) const;
  int rounds() const { return passes_on() ? reach(+1) : 1; }
  /// Into how many pieces it cuts each of those before.
  int pieces() const { return collects ? 1 : radix; }
  /// What is left of a message after it, as a part of what was.
  double left() const;
};

/// Who exchanges with whom. After all steps everybody has heard of everybody, once.
struct Butterfly {
  std::vector<int> cores;  ///< by axis: so many positions take part in its steps
  int direction = 1;
  std::vector<ButterflyStep> steps;

  int length() const { return static_cast<int>(steps.size()); }
  /// Pieces that its part of a message is cut into by the first of its steps.
  int pieces(int scatter_steps) const;
  /// How many steps at least must scatter before a fold in parts; and so that all ranks combine in
  /// the same order, up to the last of an odd radix.
  int least_scatter_steps() const;
  /// Whether pieces of a message lie apart.
  bool scatters_pieces() const;
};

/// When the nodes beyond a core hand over.
enum class FoldTime {
  at_once,    ///< all axes in one step, the first
  overlapped  ///< each during one of the first steps along its axis, to one node for each part
              ///< that these steps cut a message into: in no step more. Until then those beyond
              ///< the core take the steps along the other axes.
};

/// How extents are dealt with that have large factors.
struct Folding {
  int digits =
      0;  ///< the first binary ones that a core keeps of an extent, others become 0; 0: all
  FoldTime fold = FoldTime::at_once;
  int during = 1;  ///< the how manieth step along its axis a fold takes place in, meanwhile
  int rings = 0;   ///< along so many axes, the first of each butterfly, nodes pass on: afterwards
                   ///< little is left to fold
  int arcs = 1;    ///< that each of these rings is: messages go along arcs of all rings before the
                   ///< parts are collected, when they are short
  bool one_way = false;        ///< one butterfly begins with each axis, not one for each direction
  bool first_of_four = false;  ///< the first step of a butterfly is of four nodes, not of two, if
                               ///< its axis is a power of two of nodes
  bool in_turns = false;  ///< axes take turns throughout; else steps of an odd radix come first
  bool operator==(const Folding&) const = default;
};

/// By axis, how many positions a folding leaves of those that it folds.
std::vector<int> cores_of(const Shape& shape, int digits);

/// Whether one axis is for steps of an odd radix while another is not.
bool of_mixed_radices(const Shape& shape);

/// Of steps that are no rings, at most: a step's table of members is as many times its axis.
int largest_radix(const Shape& shape, const Folding& folding);

/// The butterflies of a shape of d axes, two for each axis: they begin each with another axis and
/// go both ways, so that at any time all links are in use. Axes take turns. With rings there is one
/// for each axis, as rings go both ways by themselves.
///
/// Along an axis of a power of two of nodes they are Swing's (De Sensi et al., NSDI 2024; the
/// distances are those of Bine trees, SC 2025): in its i-th step, an even node exchanges with the
/// one (1 − (−2)^(i+1))/3 above it and an odd one with the one as far below: at distances 1, 1, 3,
/// 5, 11, … in turns to either side, which stay shorter than doubled ones. Other numbers of nodes
/// go by their prime factors (recursive multiplying: Ruefenacht, Bull and Booth 2017), groups of
/// neighbours first. All steps of an odd radix come before all of radix 2. The members of a folded
/// axis are spread over it (CoreLine). Rings come first of all.
std::vector<Butterfly> swing_butterflies(const Shape& shape, Folding folding = {});

}  // namespace cuboid::detail
