#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/redistribute.hpp>

namespace cuboid::detail {

/// An operand of C = op(A)·op(B) in SUMMA's view: tall, with rows ("vectors") that correspond to
/// C's rows or columns, and columns along the inner dimension. This is op(A) on the process grid,
/// and op(B)ᵀ on the transposed grid, so one implementation serves A along process rows and B along
/// process columns.
///
/// For the moving operand of stationary SUMMA, op(B) or op(A)ᵀ, the vectors run along the inner
/// dimension and the columns along C's rows or columns.
template <MatrixElement T>
struct TallOperand {
  const Matrix<T>& stored;
  bool tall;       ///< true if it is stored as vectors × inner, false if as inner × vectors
  Op in_place_op;  ///< the op that gemm applies to the stored elements
  Op packing_op;   ///< the op that turns stored elements into a tall panel
  Op panel_op;     ///< the op that gemm applies to a tall panel

  /// The stored block of all vectors for some inner indices.
  BlockRange stored_block(GlobalRange<Inner> inner) const {
    const Layout& layout = stored.layout();
    return tall ? BlockRange{layout.rows().all(), inner.as<Column>()}
                : BlockRange{inner.as<Row>(), layout.columns().all()};
  }

  /// This rank's stored elements of all its vectors for some of its inner indices.
  LocalView<const T> local_block(Local<Inner> begin, std::int64_t extent) const {
    const LocalView<const T> local = stored.local();
    return tall ? local.block(0, begin.value, local.rows, extent)
                : local.block(begin.value, 0, extent, local.columns);
  }
};

/// op(A), which is tall already.
template <MatrixElement T>
TallOperand<T> left_operand(Op op, const Matrix<T>& A) {
  return {A, op == Op::none, op, op, Op::none};
}

/// op(B), which is tall after a transpose; gemm applies a conjugation.
template <MatrixElement T>
TallOperand<T> right_operand(Op op, const Matrix<T>& B) {
  if (op == Op::none) return {B, false, Op::none, Op::transpose, Op::transpose};
  return {B, true, op, Op::none, op};
}

}  // namespace cuboid::detail
