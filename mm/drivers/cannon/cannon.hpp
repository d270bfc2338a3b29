#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>

#include "mm/decompositions/rotation.hpp"
#include "mm/drivers/cannon/rotating_multiplication.hpp"

namespace cuboid::detail {

/// C ← α·op(A)·op(B) + β·C by Cannon's algorithm (Solomonik and Demmel 2012, algorithm 1; Cannon
/// 1969) on a P×Q grid, ready to run many times (see RotatingMultiplication). First A's blocks are
/// staggered along rows and B's along columns, until each rank has a pair of blocks with the same
/// inner indices. Then, in as many steps as there are blocks, the ranks multiply their pairs while
/// A's blocks shift one position to the left and B's one up. On a square grid op(A) and op(B) may
/// also be laid out staggered (skewed_for_cannon()).
///
/// On a square grid each rank has one block of each operand. On other grids the inner dimension has
/// L = lcm(P, Q) blocks, as on an L×L grid folded onto P×Q: L/Q blocks of A and L/P of B on each
/// rank, one of which shifts per step. A rank receives mk/P·(1 - 1/Q) + nk/Q·(1 - 1/P) words, and
/// at most mk/(PQ) + nk/(PQ) for the stagger. The gemms are k/L wide, so grids with a small lcm are
/// best.
///
/// Collective over `communicator`; errors as RotatingMultiplication's.
template <MatrixElement T>
class CannonMultiplication : public RotatingMultiplication<T> {
 public:
  CannonMultiplication(const Communicator& communicator, const GridShape& grid,
                       const ProductLayouts& product);
};

/// The steps of Cannon's algorithm on a grid.
Rotation rotation_for_cannon(const GridShape& grid);

/// The grid on which the blocks of op(A) (left) or op(B) (right) are pre-skewed: they are on the
/// ranks that multiply them first. Matrices laid out on it, with the distribution of `grid` itself,
/// need no stagger, which saves up to one of the blocks that a rank receives.
///
///   const Layout plain = ...;  // a_layout() of the multiplication
///   Matrix<double> A(communicator, Layout(plain.rows(), plain.columns(),
///                                         skewed_for_cannon(grid, Side::left)));
///
/// Throws Error(invalid_argument) for a grid that is not square.
GridShape skewed_for_cannon(const GridShape& grid, Side side);

}  // namespace cuboid::detail
