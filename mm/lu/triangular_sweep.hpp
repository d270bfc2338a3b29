#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "mm/lu/lu_grid.hpp"
#include "models/factorisation/lu_schedule.hpp"

#include <cstdint>

namespace cuboid::detail {

/// Which triangular system a sweep solves: op(A)·X = B for one triangle of A.
struct TriangularSystem {
  Triangle triangle = Triangle::lower;
  Op op = Op::none;
  Diagonal diagonal = Diagonal::unit;

  /// Whether its unknowns come first to last.
  bool forward() const { return (triangle == Triangle::lower) == (op == Op::none); }
  /// Whether unknowns are A's columns and equations its rows; else the other way round.
  bool by_rows() const { return op == Op::none; }
};

/// X ← op(A)⁻¹·B, block by block: what is known of a block's equations is summed over the grid row
/// (of all layers) that has them, the rank of the diagonal block solves for its unknowns, and these
/// go down its grid column, whose ranks subtract their share; with op, rows and columns change
/// places. The matrix stays where it is. Collective over the ranks of the grid.
/// @param parts  this rank's rows and columns of A as factorise_in_layers() leaves them: the
///     triangle is the sum of the layers' parts, its diagonal blocks whole on layer 0.
/// @param sums   for all right-hand sides, a row for each of this rank's rows of A (by_rows(); else
///     for each of its columns): B, and then X, is the sum over its grid row (column) and all
///     layers.
template <MatrixElement T>
void solve_triangle(const LuGrid& grid, const LuSchedule& schedule, const TriangularSystem& system,
                    LocalView<const T> parts, LocalView<T> sums, const LocalKernels& kernels);

}  // namespace cuboid::detail
