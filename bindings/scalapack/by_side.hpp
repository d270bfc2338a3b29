#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply.hpp>

namespace cuboid::detail::scalapack {

/// The layouts of the product op(A)·B or B·op(A); `side` is A's side.
inline ProductLayouts layouts_by_side(MatrixSide side, const Layout& a, Op op, const Layout& b,
                                      const Layout& c) {
  if (side == MatrixSide::left) return {a, op, b, Op::none, c};
  return {b, Op::none, a, op, c};
}
template <MatrixElement T>
void multiply_by_side(MultiplicationPlan<T>& plan, MatrixSide side, T alpha, const Matrix<T>& A,
                      const Matrix<T>& B, T beta, Matrix<T>& C) {
  const bool left = side == MatrixSide::left;
  plan.run(alpha, left ? A : B, left ? B : A, beta, C);
}

}  // namespace cuboid::detail::scalapack
