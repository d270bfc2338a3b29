#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply.hpp>

#include <algorithm>

namespace cuboid::detail::scalapack {

/// Calls visit(i, j) for each local place of a matrix that is in the triangle, the diagonal
/// included.
template <MatrixElement T, class Visit>
void for_triangle(const Matrix<T>& matrix, Triangle triangle, const Visit& visit) {
  const auto here = matrix.position();
  if (!here) return;
  const auto& rows = matrix.layout().rows();
  const auto before = [&](std::int64_t row) {
    return rows.first_local(here->row, Global<Row>(std::min(row, matrix.m())));
  };
  for (Local<Column> j; j.value < matrix.local_columns(); ++j) {
    const std::int64_t diagonal = matrix.layout().columns().global(here->column, j).value;
    const bool lower = triangle == Triangle::lower;
    const Local<Row> begin = lower ? before(diagonal) : Local<Row>(0);
    const Local<Row> end = lower ? Local<Row>(matrix.local_rows()) : before(diagonal + 1);
    for (Local<Row> i = begin; i < end; ++i) visit(i, j);
  }
}

/// A matrix that lies as another does, of any elements. Collective; throws on all ranks where one
/// has no memory.
template <MatrixElement T>
Matrix<T> room_like(const Matrix<T>& other);

/// A triangle with zeros in the place of the other, and ones on its diagonal if it is not stored.
/// Collective.
template <MatrixElement T>
Matrix<T> with_zeros(const Matrix<T>& A, Triangle triangle, Diagonal diagonal);

/// The whole of a matrix that is its own transpose, or conjugate transpose, of which one triangle
/// is stored. Collective.
template <MatrixElement T>
Matrix<T> mirrored(const Matrix<T>& A, Triangle triangle, Op mirror);

/// C ← αW + βC in the triangle, for matrices that lie alike; β = 0 does not read C. Not collective.
template <MatrixElement T>
void add_triangle(Triangle triangle, T alpha, const Matrix<T>& W, T beta, Matrix<T>& C);

/// The layouts of op(A)·B or B·op(A), and the product: A stands on one side of B.
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

/// Takes the imaginary parts off a matrix's diagonal. Not collective.
template <MatrixElement T>
void make_diagonal_real(Matrix<T>& C);

/// Throws on all ranks where a matrix has an element that is no number, or infinite: zeros in the
/// place of a triangle would spread it. Collective.
template <MatrixElement T>
void require_finite(const Matrix<T>& A);

}  // namespace cuboid::detail::scalapack
