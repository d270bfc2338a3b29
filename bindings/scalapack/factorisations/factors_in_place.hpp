#pragma once

#include <cuboid/element.hpp>

#include "bindings/scalapack/calls/choices.hpp"
#include "bindings/scalapack/calls/descriptor.hpp"
#include "bindings/scalapack/calls/scalar.hpp"

namespace cuboid::detail::scalapack {

/// True if a submatrix meets the further requirements of ScaLAPACK's factorisations and inversions:
/// a descriptor of type 1, square blocks, and a beginning at the beginning of a block.
inline bool may_be_factorised(const int* words, const Submatrix& part) {
  const MatrixDescriptor& all = part.descriptor;
  return words[0] == 1 && all.row_block > 0 && all.row_block == all.column_block &&
         (part.i - 1) % all.row_block == 0 && (part.j - 1) % all.column_block == 0;
}

/// The class of a call that replaces one submatrix by its result.
template <MatrixElement T>
CallClass class_in_place(Routine routine, const Submatrix& part) {
  return {.routine = routine,
          .type = letter<T>(),
          .extents = {logarithm(part.rows), logarithm(part.columns), -1},
          .block = logarithm(part.descriptor.row_block)};
}

}  // namespace cuboid::detail::scalapack
