#pragma once

#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/op.hpp>

#include "mm/cannon/rotating_multiplication.hpp"
#include "mm/decompositions/rotation.hpp"
#include "mm/layout/process_grid.hpp"

namespace cuboid::detail {

/// C ← α·op(A)·op(B) + β·C by Cannon's algorithm (002, algorithm 1; Cannon 1969) on a P×Q grid,
/// ready to run many times (see RotatingMultiplication). A's blocks are staggered along their rows
/// and B's along their columns until each rank has a pair with the same inner indices; then the
/// ranks multiply their pairs while A's blocks shift one place to the left and B's one up, as often
/// as there are blocks. On a square grid op(A) and op(B) may also lie staggered from the beginning
/// (skewed_for_cannon()).
///
/// On a square grid each rank has one block of each. Else the inner dimension has L = lcm(P, Q)
/// blocks, as on an L×L grid folded onto P×Q: L/Q of A's and L/P of B's on each rank, one of which
/// shifts per step. Words received are the same as ever, mk/P·(1 - 1/Q) + nk/Q·(1 - 1/P) and at
/// most mk/(PQ) + nk/(PQ) for the stagger; but the gemms are k/L wide, so that grids with a small
/// lcm do best.
///
/// Collective over `communicator`; errors as RotatingMultiplication's.
template <MatrixElement T>
class CannonMultiplication : public RotatingMultiplication<T> {
 public:
  CannonMultiplication(const Communicator& communicator, const GridShape& grid,
                       const ProductLayouts& product);
};

/// Its steps on a grid.
Rotation rotation_for_cannon(const GridShape& grid);

/// Where op(A)'s (left) or op(B)'s blocks lie pre-skewed on a square grid: with the ranks that
/// multiply them first. Matrices laid out on this grid instead, dealt out as on `grid` itself, are
/// not staggered, which saves up to one of the blocks that a rank receives.
///
///   const Layout plain = ...;  // a_layout() of the multiplication
///   Matrix<double> A(communicator, Layout(plain.rows(), plain.columns(),
///                                         skewed_for_cannon(grid, Side::left)));
///
/// Throws Error(invalid_argument) for a grid that is not square.
GridShape skewed_for_cannon(const GridShape& grid, Side side);

/// The same once. Collective over `grid`'s communicator. op(A) is m×k, op(B) k×n, C m×n, in any
/// layouts over that communicator; what does not lie as the grid needs it is redistributed. Throws
/// as above and what communication throws. Shapes are multiply()'s to check.
template <MatrixElement T>
PhaseSeconds cannon(T alpha, Op op_a, const Matrix<T>& A, Op op_b, const Matrix<T>& B, T beta,
                    Matrix<T>& C, const ProcessGrid& grid, const LocalGemm& gemm);

}  // namespace cuboid::detail
