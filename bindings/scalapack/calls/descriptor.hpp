#pragma once

#include <cuboid/grid_shape.hpp>
#include <cuboid/layout.hpp>

#include "bindings/scalapack/calls/blacs.hpp"

#include <cstdint>

namespace cuboid::detail::scalapack {

/// ScaLAPACK's array descriptor of type 1, or of type 2, which gives the first blocks their own
/// lengths.
struct MatrixDescriptor {
  int context = -1;
  int rows = 0;
  int columns = 0;
  int first_row_block = 0;
  int first_column_block = 0;
  int row_block = 0;
  int column_block = 0;
  int row_source = 0;
  int column_source = 0;
  int leading_dimension = 0;

  /// Reads a descriptor of type 1 or 2 from the program's memory. For any other type it reads only
  /// the context, and is_served() refuses the matrix.
  static MatrixDescriptor read(const int* words);
  /// Reads the descriptor as type 1, whatever type it states, as p?gemr2d does.
  static MatrixDescriptor read_plain(const int* words);
};

/// PBLAS's sub(X): rows and columns of a distributed matrix from (i, j) on; i and j count from 1.
struct Submatrix {
  MatrixDescriptor descriptor;
  int i = 1;
  int j = 1;
  int rows = 0;
  int columns = 0;
};

/// True if ScaLAPACK accepts the submatrix and Cuboid can serve it: it is not replicated, it lies
/// within its matrix, the first blocks are not longer than the other blocks, and the leading
/// dimension is large enough on this rank. Other submatrices go to the native routine, which
/// reports what is wrong with them.
bool is_served(const Submatrix& part, const BlacsGrid& grid);

/// The layout of the whole matrix.
Layout layout_of_all(const MatrixDescriptor& descriptor, const GridShape& ranks);
/// The layout of a submatrix: every rank owns the elements that it owns in the whole matrix.
Layout layout_of(const Submatrix& part, const GridShape& ranks);

/// The submatrix's rows and columns in the whole matrix, counted from 0.
BlockRange range_of(const Submatrix& part);

}  // namespace cuboid::detail::scalapack
