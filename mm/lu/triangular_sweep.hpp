#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "mm/lu/lu_grid.hpp"
#include "models/factorisation/panel_schedule.hpp"

#include <cstdint>

namespace cuboid::detail {

/// The triangular system that a sweep solves: op(A)·X = B for one triangle of A.
struct TriangularSystem {
  Triangle triangle = Triangle::lower;
  Op op = Op::none;
  Diagonal diagonal = Diagonal::unit;

  /// True if unknowns are found from the first to the last.
  bool forward() const { return (triangle == Triangle::lower) == (op == Op::none); }
  /// True if unknowns are A's columns and equations its rows; false if the reverse.
  bool by_rows() const { return op == Op::none; }
};

/// X ← op(A)⁻¹·B, block by block. The sums of a block's equations are added over the grid row (of
/// all layers) that has them, the rank of the diagonal block solves for its unknowns, and these go
/// down its grid column, whose ranks subtract their share. With op, rows and columns change places.
/// The matrix stays in place. Collective over the ranks of the grid.
/// @param parts  this rank's rows and columns of A as factorise_in_layers() leaves them: the
///               triangle is the sum of the layers' parts, its diagonal blocks are whole on layer
///               0.
/// @param sums   for all right-hand sides, a row for each of this rank's rows of A (by_rows(); else
///               for each of its columns). B, and then X, is the sum over its grid row (column) and
///               all layers.
template <MatrixElement T>
void solve_triangle(const LuGrid& grid, const PanelSchedule& schedule,
                    const TriangularSystem& system, LocalView<const T> parts, LocalView<T> sums,
                    const LocalKernels& kernels);

}  // namespace cuboid::detail
