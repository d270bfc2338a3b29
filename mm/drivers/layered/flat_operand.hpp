#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/matrix.hpp>

#include <cstdint>

namespace cuboid::detail {

/// An operand of C = op(A)·op(B) as SlabbedLayer sees it: flat, its columns ("vectors") going with
/// C's rows or C's columns, its rows with the inner dimension; that is op(A)ᵀ and op(B). Vectors
/// that come one after the other then lie one after the other, and any run of them is one matrix.
template <MatrixElement T>
struct FlatOperand {
  const Matrix<T>& stored;
  bool flat;      ///< stored as inner × vectors; else as vectors × inner
  Op packing_op;  ///< what makes flat vectors of the stored elements
  Op panel_op;    ///< what gemm applies to flat vectors

  /// The stored elements of some of this rank's vectors, all its inner indices.
  LocalView<const T> vectors(std::int64_t begin, std::int64_t extent) const {
    const LocalView<const T> local = stored.local();
    return flat ? local.block(0, begin, local.rows, extent)
                : local.block(begin, 0, extent, local.columns);
  }
};

/// op(A), made flat by transposing it; a conjugation is left to the gemm.
template <MatrixElement T>
FlatOperand<T> flat_left_operand(Op op, const Matrix<T>& A) {
  if (op == Op::none) return {A, false, Op::transpose, Op::transpose};
  return {A, true, Op::none, op};
}

/// op(B), flat as it stands.
template <MatrixElement T>
FlatOperand<T> flat_right_operand(Op op, const Matrix<T>& B) {
  return {B, op == Op::none, op, Op::none};
}

}  // namespace cuboid::detail
