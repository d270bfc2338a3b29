#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/matrix.hpp>

#include <cstdint>

namespace cuboid::detail {

/// An operand of C = op(A)·op(B) as SlabbedLayer sees it: flat. This is op(A)ᵀ or op(B). Its
/// columns ("vectors") correspond to C's rows or columns, and its rows to the inner dimension. So
/// vectors that arrive in sequence lie in sequence, and any run of vectors is one matrix.
template <MatrixElement T>
struct FlatOperand {
  const Matrix<T>& stored;
  bool flat;      ///< true if it is stored as inner × vectors, false if as vectors × inner
  Op packing_op;  ///< the op that turns stored elements into flat vectors
  Op panel_op;    ///< the op that gemm applies to flat vectors

  /// The stored elements of some of this rank's vectors, for all its inner indices.
  LocalView<const T> vectors(std::int64_t begin, std::int64_t extent) const {
    const LocalView<const T> local = stored.local();
    return flat ? local.block(0, begin, local.rows, extent)
                : local.block(begin, 0, extent, local.columns);
  }
};

/// op(A), which a transpose makes flat; gemm applies a conjugation.
template <MatrixElement T>
FlatOperand<T> flat_left_operand(Op op, const Matrix<T>& A) {
  if (op == Op::none) return {A, false, Op::transpose, Op::transpose};
  return {A, true, Op::none, op};
}

/// op(B), which is flat already.
template <MatrixElement T>
FlatOperand<T> flat_right_operand(Op op, const Matrix<T>& B) {
  return {B, op == Op::none, op, Op::none};
}

}  // namespace cuboid::detail
