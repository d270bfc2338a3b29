#pragma once

#include <cuboid/grid.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>

#include "mm/decompositions/rotation.hpp"
#include "mm/drivers/cannon/rotating_multiplication.hpp"

#include <vector>

namespace cuboid::detail {

/// Pairs the digits of two axes of a grid, fastest with fastest. If one axis has more digits, the
/// other axis does not move in the digits without a partner. So axes without an equal partner
/// become smaller, virtual rotations. A snake fold counts as one digit.
std::vector<RotationDigit> paired_digits(const Fold& rows, const Fold& columns);

/// A process grid, and how the axes of a torus are folded into its rows and columns.
struct FoldedGrid {
  GridShape shape;
  std::vector<RotationDigit> digits;  ///< slowest digit first

  /// P×Q as a two-dimensional torus.
  static FoldedGrid plain(const GridShape& shape);

  /// A two-dimensional grid mapped onto a machine, e.g. by alternating_grid() or best_mapping(),
  /// with the paired_digits() of its axes.
  /// @param rank_at  the rank of the communicator, by rank of the grid (see reorder()).
  /// Throws Error(invalid_argument) for a grid of other than two dimensions.
  static FoldedGrid of(const Grid& grid, std::vector<int> rank_at);
};

/// The grid of Solomonik and Demmel 2012, §2.1: each node's cores, then axes 0, 2, 4, … of the
/// shape are folded into rows, axes 1, 3, 5, … into columns. Throws Error(invalid_argument) if the
/// placement is not full.
FoldedGrid fold_for_sd_cannon(const Placement& placement);

/// The directions in which blocks shift along a dimension.
enum class ShiftDirections { both, one };

/// The rotations of all colours. There is one for each digit and direction, in which this digit
/// advances most often.
std::vector<Rotation> rotations_for_sd_cannon(const std::vector<RotationDigit>& digits,
                                              ShiftDirections directions = ShiftDirections::both);

/// C ← α·op(A)·op(B) + β·C by split-dimensional Cannon (Solomonik and Demmel 2012, algorithms 3 to
/// 5), ready to run many times (see RotatingMultiplication). The inner dimension is split over
/// colours, two per digit of the grid, d for a torus of d dimensions. Each colour is Cannon's
/// algorithm with its digits in another order; the two colours of a digit run in opposite
/// directions. So at every step the blocks of A and B shift over all 2d links of a node at once. A
/// block is 1/d of Cannon's; a rank receives as many words in total. In one direction there is one
/// colour per digit, over d of the links.
///
/// Digits of unequal extents P and Q rotate as in Cannon's algorithm on P×Q, with lcm(P, Q) blocks.
/// These are the virtual processes for which Solomonik and Demmel 2012, §2 uses Charm++.
///
/// @param sides  the paper uses puts (one-sided). Messages (two-sided) are faster over TCP: a put
///     is known to be complete only when its acknowledgement arrives, which waits behind data in
///     its direction.
/// Collective over `communicator`; errors as RotatingMultiplication's.
template <MatrixElement T>
class SdCannonMultiplication : public RotatingMultiplication<T> {
 public:
  SdCannonMultiplication(const Communicator& communicator, const FoldedGrid& grid,
                         const ProductLayouts& product, Sidedness sides = Sidedness::two_sided,
                         ShiftDirections directions = ShiftDirections::both);
};

}  // namespace cuboid::detail
