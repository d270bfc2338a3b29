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
/// Of the operand that moves in SUMMA with a stationary one, the vectors are the inner dimension
/// and the columns run along C's: op(B), or op(A)ᵀ.
template <MatrixElement T>
struct TallOperand {
  const Matrix<T>& stored;
  bool tall;       ///< stored as vectors × inner; else as inner × vectors
  Op in_place_op;  ///< what gemm applies to the stored elements
  Op packing_op;   ///< what makes a tall panel of the stored elements
  Op panel_op;     ///< what gemm applies to a tall panel

  /// The stored block that holds some inner indices, all vectors.
  BlockRange stored_block(GlobalRange<Inner> inner) const {
    const Layout& layout = stored.layout();
    return tall ? BlockRange{layout.rows().all(), inner.as<Column>()}
                : BlockRange{inner.as<Row>(), layout.columns().all()};
  }

  /// This rank's stored elements for some of its inner indices, all its vectors.
  LocalView<const T> local_block(Local<Inner> begin, std::int64_t extent) const {
    const LocalView<const T> local = stored.local();
    return tall ? local.block(0, begin.value, local.rows, extent)
                : local.block(begin.value, 0, extent, local.columns);
  }
};

/// op(A), tall as it stands.
template <MatrixElement T>
TallOperand<T> left_operand(Op op, const Matrix<T>& A) {
  return {A, op == Op::none, op, op, Op::none};
}

/// op(B), made tall by transposing it; a conjugation is left to the gemm.
template <MatrixElement T>
TallOperand<T> right_operand(Op op, const Matrix<T>& B) {
  if (op == Op::none) return {B, false, Op::none, Op::transpose, Op::transpose};
  return {B, true, op, Op::none, op};
}

}  // namespace cuboid::detail
