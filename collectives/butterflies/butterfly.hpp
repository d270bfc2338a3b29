#pragma once

#include <cuboid/shape.hpp>

#include "collectives/butterflies/ring_arcs.hpp"

#include <vector>

namespace cuboid::detail {

/// A step of a butterfly along one axis of a shape, the same on all lines of the axis. There are
/// four kinds:
///
/// - Exchange (radix 2 and more): groups of `radix` nodes exchange with each other. Each node of a
///   group stands for one digit.
/// - Fold (radix 1): surplus nodes, which are not in the core of some axes, hand over what they
///   have to nodes of the core. They stand by from then on and get the result back at the end.
/// - Ring: data is combined on its way from neighbour to neighbour, from both ends of each arc to
///   the arc's centre. An arc is a part of the ring; every node sees itself as the centre of the
///   first arc.
/// - Collection, after a ring of several arcs: each centre sends the part that it has combined
///   straight to the node that keeps the part.
struct ButterflyStep {
  int axis = 0;             ///< for a fold, the first of the axes that it folds
  int radix = 2;            ///< 1: a fold
  std::vector<int> digit;   ///< by position on the axis
  std::vector<int> member;  ///< Exchange: the position that a node meets, by position · radix +
                            ///< digit. Overlapped fold: the position that takes over a part from a
                            ///< surplus position, by position · parts + part. Ring: empty.
  std::vector<int> folded = {};  ///< the axes that a fold folds
  int parts = 1;  ///< Overlapped fold: the number of parts that a surplus node hands over, in the
                  ///< round of the step before (see FoldTime::overlapped). 1 for every other step.
  std::vector<RingArc> arcs = {};  ///< the arcs of a ring or a collection
  bool collects = false;           ///< true for the collection that follows a ring

  bool is_fold() const { return radix == 1; }
  bool is_overlapped() const { return parts > 1; }
  bool passes_on() const { return !arcs.empty() && !collects; }
  /// How far the longest arc goes up (+1) or down (−1) from its centre.
  int reach(int side) const;
  /// True if `position` takes over a part from the surplus position `beyond`.
  bool takes_over(int position, int surplus) const;
  int rounds() const { return passes_on() ? reach(+1) : 1; }
  /// The number of pieces into which the step cuts each piece of the steps before.
  int pieces() const { return collects ? 1 : radix; }
  /// The share of a message that a node still has to deal with after the step: 1/2 after an
  /// exchange of radix 2.
  double left() const;
};

/// Who exchanges with whom. After all steps every node has the contribution of every node once.
struct Butterfly {
  std::vector<int> cores;  ///< the number of core positions, by axis
  int direction = 1;
  std::vector<ButterflyStep> steps;

  int length() const { return static_cast<int>(steps.size()); }
  /// The number of pieces of this butterfly's part of a message if the first `scatter_steps` steps
  /// scatter.
  int pieces(int scatter_steps) const;
  /// The least number of steps that must scatter. An overlapped fold needs all steps before it;
  /// steps of an odd radix and rings must scatter so that all ranks combine in the same order.
  int least_scatter_steps() const;
  /// True if a message may consist of pieces that are not consecutive.
  bool scatters_pieces() const;
};

/// When surplus nodes (nodes outside the core) hand over what they have.
enum class FoldTime {
  at_once,    ///< for all axes in one step, the first of the butterfly
  overlapped  ///< Overlapped: for each axis during one of the first steps along it, so without a
              ///< step of its own. These steps cut a message into parts; a surplus node hands each
              ///< part to another node. Before, it takes the steps along the other axes.
};

/// How a butterfly deals with extents whose prime factors are large.
struct Folding {
  int digits = 0;  ///< The core of an axis has as many positions as the extent with only its first
                   ///< `digits` binary digits: of 63, 1 digit keeps 32 positions and 3 digits
                   ///< keep 56. 0: every position is in the core.
  FoldTime fold = FoldTime::at_once;
  int during = 1;  ///< the step along its axis, counted from 1, during which an overlapped fold
                   ///< takes place
  int rings = 0;   ///< the number of axes that begin with a ring, the first axes of each butterfly
  int arcs = 1;  ///< the arcs of each of these rings; short messages go along the arcs of all rings
                 ///< before the parts are collected
  bool one_way = false;  ///< one butterfly begins with each axis; otherwise two do, one for each
                         ///< direction
  bool first_of_four = false;  ///< the first step has radix 4 in place of 2, if the extent of its
                               ///< axis is a power of two
  bool in_turns = false;  ///< axes take turns from the beginning; otherwise steps of an odd radix
                          ///< come first
  bool operator==(const Folding&) const = default;
};

/// The number of core positions of each axis (see Folding::digits).
std::vector<int> cores_of(const Shape& shape, int digits);

/// True if some axis has steps of an odd radix and another axis has none.
bool of_mixed_radices(const Shape& shape);

/// The largest radix of any exchange of these butterflies. A step's table of members has this many
/// entries per position.
int largest_radix(const Shape& shape, const Folding& folding);

/// The butterflies of a shape, two for each axis: each begins with another axis and goes in one of
/// two directions, so all links are in use at any time. Within a butterfly the axes take turns.
/// With rings there is one butterfly for each axis, because rings use both directions by
/// themselves.
///
/// Steps along an axis whose core is a power of two are Swing's (De Sensi et al., NSDI 2024; Bine
/// trees, SC 2025, have the same distances). In step i, counted from 0, an even position
/// exchanges with the position (1 − (−2)^(i+1))/3 above it, an odd one with the position as far
/// below: at distances 1, 1, 3, 5, 11, … to alternating sides. Other cores go by their prime
/// factors (recursive multiplying: Ruefenacht, Bull and Booth 2017), groups of neighbours first.
/// Rings come first, then the steps of an odd radix, then the steps of radix 2. Core positions
/// are spread over the axis (see CoreLine).
std::vector<Butterfly> swing_butterflies(const Shape& shape, Folding folding = {});

}  // namespace cuboid::detail
