#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include <algorithm>

namespace cuboid::detail {

/// Calls visit(i, j) for each local element of a matrix that lies in the triangle, including the
/// diagonal.
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

/// Calls visit(element) for the local elements of the diagonal that begins at the first element.
template <MatrixElement T, class Visit>
void for_diagonal(Matrix<T>& matrix, const Visit& visit) {
  const auto here = matrix.position();
  if (!here) return;
  const auto& rows = matrix.layout().rows();
  for (Local<Column> j; j.value < matrix.local_columns(); ++j) {
    const Global<Row> row(matrix.layout().columns().global(here->column, j).value);
    if (row.value < matrix.m() && rows.owner(row) == here->row) visit(matrix(rows.local(row), j));
  }
}

/// A full matrix made of a triangle: zeros in the other triangle, and ones on the diagonal if it is
/// not stored. Collective.
template <MatrixElement T>
Matrix<T> with_zeros(const Matrix<T>& A, Triangle triangle, Diagonal diagonal);

/// A full symmetric or Hermitian matrix, made from the stored triangle. Collective.
template <MatrixElement T>
Matrix<T> mirrored(const Matrix<T>& A, Triangle triangle, Op mirror);

/// What redistribute_triangle() does to the other triangle of its destination.
enum class OtherTriangle { kept, undefined };

/// The triangle `written` of `destination`, with its diagonal, ← the same triangle of op(source),
/// for n×n matrices in any layouts. Of the source's other triangle only squares on the diagonal
/// travel. Collective. Throws what redistribute() throws.
template <MatrixElement T>
void redistribute_triangle(Op op, const Matrix<T>& source, Triangle written, OtherTriangle other,
                           Matrix<T>& destination);

/// C ← αW + βC in the triangle, for matrices of equal layout; β = 0 does not read C. Not
/// collective.
template <MatrixElement T>
void add_triangle(Triangle triangle, T alpha, const Matrix<T>& W, T beta, Matrix<T>& C);

/// Sets the imaginary parts of a matrix's diagonal to zero. Not collective.
template <MatrixElement T>
void make_diagonal_real(Matrix<T>& C);

/// Throws on all ranks if a matrix has an element that is NaN or infinite: multiplied by the zeros
/// in the other triangle, it would spread. Collective.
template <MatrixElement T>
void require_finite(const Matrix<T>& A);

}  // namespace cuboid::detail
