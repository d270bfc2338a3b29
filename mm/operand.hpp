#pragma once

#include <cuboid/mm/matrix.hpp>
#include <cuboid/mm/op.hpp>

#include <cstdint>

namespace cuboid {

/// A matrix and what is applied to it: op(A). Made from a matrix (as it is), transpose(A) or
/// conjugate_transpose(A). A view: the matrix stays the caller's.
template <MatrixElement T>
struct Operand {
  Op op;
  const Matrix<T>& matrix;

  Operand(const Matrix<T>& as_it_is) : op(Op::none), matrix(as_it_is) {}
  Operand(Op applied, const Matrix<T>& to) : op(applied), matrix(to) {}

  /// Rows and columns of op(A).
  std::int64_t m() const { return op == Op::none ? matrix.m() : matrix.n(); }
  std::int64_t n() const { return op == Op::none ? matrix.n() : matrix.m(); }
};

template <MatrixElement T>
Operand<T> transpose(const Matrix<T>& A) {
  return {Op::transpose, A};
}

template <MatrixElement T>
Operand<T> conjugate_transpose(const Matrix<T>& A) {
  return {Op::conjugate_transpose, A};
}

}  // namespace cuboid
