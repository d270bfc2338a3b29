#pragma once

#include <cuboid/grid_shape.hpp>
#include <cuboid/layout.hpp>

#include "bindings/scalapack/blacs.hpp"

#include <cstdint>

namespace cuboid::detail::scalapack {

/// ScaLAPACK's array descriptor: of type 1, or of type 2, whose first blocks have lengths of their
/// own.
struct Descriptor {
  int type = 0;
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

  /// As it lies in the program's memory; of other types only type and context.
  static Descriptor read(const int* words);
};

/// sub(X): so many rows and columns of a distributed matrix from (i, j) on, which count from 1.
struct Submatrix {
  Descriptor descriptor;
  int i;
  int j;
  int rows;
  int columns;
};

/// Whether ScaLAPACK takes it without complaint, and Cuboid can serve it: in this context, not
/// replicated, within its matrix, with a leading dimension that is long enough on this
/// rank. Where it is not, the routine beneath says what is wrong with it.
bool is_served(const Submatrix& part, int context, const BlacsGrid& grid);

/// Whether the submatrix is block-cyclic by itself where it lies: it begins at a block's beginning,
/// lies within one block, or has one process only, in either dimension.
bool lies_in_blocks(const Submatrix& part, const BlacsGrid& grid);

/// The layout of the whole matrix, and that of a submatrix: its own where it lies in blocks, else
/// that of a copy, with blocks of the same size, of which most elements stay on their rank.
Layout layout_of_all(const Descriptor& descriptor, const GridShape& ranks);
Layout layout_of(const Submatrix& part, const GridShape& ranks);

/// Which part of the whole matrix it is.
BlockRange range_of(const Submatrix& part);

/// The first local row and column of the submatrix on a process: its own or, where it has none of
/// it, the next one.
struct LocalOrigin {
  std::int64_t row = 0;
  std::int64_t column = 0;
};
LocalOrigin origin_of(const Submatrix& part, const BlacsGrid& grid);

}  // namespace cuboid::detail::scalapack
