#pragma once

#include <cuboid/grid.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/op.hpp>
#include <cuboid/placement.hpp>

#include "mm/cannon/rotating_multiplication.hpp"
#include "mm/decompositions/rotation.hpp"
#include "mm/layout/process_grid.hpp"

#include <vector>

namespace cuboid::detail {

/// A process grid and how its rows and columns are folded out of a torus.
struct FoldedGrid {
  GridShape shape;
  std::vector<Turn> turns;  ///< slowest digit first

  /// P×Q as a torus of two dimensions.
  static FoldedGrid plain(const GridShape& shape);

  /// A two-dimensional grid laid into a machine, such as alternating_grid() and best_mapping()
  /// give: the digits of its first axis and of its second, fastest with fastest; where one axis has
  /// more, the other stands still in them. An axis of odd dimension or of another extent is thereby
  /// a smaller, virtual rotation of its own. Folds that run back and forth (snakes) are taken as
  /// one digit.
  /// @param rank_at  by rank of the grid, the rank of the communicator (see reorder()).
  /// Throws Error(invalid_argument) for a grid of other than two dimensions.
  static FoldedGrid of(const Grid& grid, std::vector<int> rank_at);
};

/// The d axes of a machine's shape on a grid as 002 §2.1 has them: each node's cores, then axes 0,
/// 2, 4, … into rows, 1, 3, 5, … into columns. Throws Error(invalid_argument) where the placement
/// is not full.
FoldedGrid fold_for_sd_cannon(const Placement& placement);

/// The steps of each colour, two per digit: the digit turns at most steps, one way and the other.
std::vector<Rotation> rotations_for_sd_cannon(const std::vector<Turn>& turns);

/// C ← α·op(A)·op(B) + β·C by split-dimensional Cannon (002, algorithms 3 to 5), ready to run many
/// times (see RotatingMultiplication). The inner dimension is split among two colours per digit of
/// the grid, d for a torus of d dimensions: each is Cannon's algorithm with its digits in another
/// order, each pair in opposite directions, so that at every step the blocks of A and B shift over
/// all 2d links of a node at once. A block is 1/d of Cannon's; a rank receives in all the words
/// that it receives there.
///
/// With unequal digits each rotates by itself as Cannon's does on P×Q, with lcm(P, Q) blocks: the
/// virtual processes for which 002 §2 uses Charm++.
///
/// @param sides  one-sided is the paper's way, by puts. Messages, which the engine sends and
///     receives without waiting as well, are the faster over TCP: a put is known to have arrived
///     only when an acknowledgement has come back, behind the data that flows that way.
/// Collective over `communicator`; errors as RotatingMultiplication's.
template <MatrixElement T>
class SdCannonMultiplication : public RotatingMultiplication<T> {
 public:
  SdCannonMultiplication(const Communicator& communicator, const FoldedGrid& grid,
                         const ProductLayouts& product, Sidedness sides = Sidedness::two_sided);
};

/// The same once, on a grid taken as a two-dimensional torus; as cannon() in all else.
template <MatrixElement T>
PhaseSeconds sd_cannon(T alpha, Op op_a, const Matrix<T>& A, Op op_b, const Matrix<T>& B, T beta,
                       Matrix<T>& C, const ProcessGrid& grid, const LocalGemm& gemm);

}  // namespace cuboid::detail
