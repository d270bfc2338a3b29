#pragma once

#include <cuboid/grid_shape.hpp>
#include <cuboid/layout.hpp>

#include "bindings/scalapack_choice/blacs.hpp"

#include <cstdint>

namespace cuboid::detail::scalapack {

/// ScaLAPACK's array descriptor: of type 1, or of type 2, whose first blocks have lengths of their
/// own.
struct Descriptor {
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

  /// As it lies in the program's memory. Of other types only the context, so that is_served()
  /// refuses them.
  static Descriptor read(const int* words);
  /// Read as type 1 whatever its type says, as p?gemr2d does.
  static Descriptor read_plain(const int* words);
};

/// sub(X): so many rows and columns of a distributed matrix from (i, j) on, which count from 1.
struct Submatrix {
  Descriptor descriptor;
  int i = 1;
  int j = 1;
  int rows = 0;
  int columns = 0;
};

/// Whether ScaLAPACK takes it without complaint, and Cuboid can serve it: not replicated, within
/// its matrix, with first blocks that are no longer than the others, and with a leading dimension
/// that is long enough on this rank. Where it is not, the routine beneath says what is wrong.
bool is_served(const Submatrix& part, const BlacsGrid& grid);

/// The layout of the whole matrix.
Layout layout_of_all(const Descriptor& descriptor, const GridShape& ranks);
/// The layout of a submatrix, in which every rank owns the same elements.
Layout layout_of(const Submatrix& part, const GridShape& ranks);

/// Which part of the whole matrix it is.
BlockRange range_of(const Submatrix& part);

}  // namespace cuboid::detail::scalapack
