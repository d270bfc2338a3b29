#include "bindings/scalapack/triangles.hpp"

#include <cuboid/error.hpp>
#include <cuboid/redistribute.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"

#include <cmath>
#include <complex>

namespace cuboid::detail::scalapack {

namespace {

template <MatrixElement T>
Matrix<T> zeros_like(const Matrix<T>& other) {
  Matrix<T> zeros = room_like(other);
  scale(T(0), zeros.local());
  return zeros;
}

/// Calls visit(element) for the local elements of the diagonal.
template <MatrixElement T, class Visit>
void for_diagonal(Matrix<T>& matrix, const Visit& visit) {
  const auto here = matrix.position();
  if (!here) return;
  const auto& [rows, columns] = std::pair(matrix.layout().rows(), matrix.layout().columns());
  for (Local<Column> j; j.value < matrix.local_columns(); ++j) {
    const Global<Row> row(columns.global(here->column, j).value);
    if (row.value < matrix.m() && rows.owner(row) == here->row) visit(matrix(rows.local(row), j));
  }
}

template <MatrixElement T>
bool is_finite(T value) {
  if constexpr (is_complex<T>) {
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  } else {
    return std::isfinite(value);
  }
}

}  // namespace

template <MatrixElement T>
Matrix<T> room_like(const Matrix<T>& other) {
  return collective_try(other.communicator(),
                        [&] { return Matrix<T>(other.communicator(), other.layout()); });
}

template <MatrixElement T>
Matrix<T> with_zeros(const Matrix<T>& A, Triangle triangle, Diagonal diagonal) {
  Matrix<T> whole = zeros_like(A);
  for_triangle(A, triangle, [&](auto i, auto j) { whole(i, j) = A(i, j); });
  if (diagonal == Diagonal::unit) for_diagonal(whole, [](T& element) { element = T(1); });
  return whole;
}

template <MatrixElement T>
Matrix<T> mirrored(const Matrix<T>& A, Triangle triangle, Op mirror) {
  Matrix<T> whole = with_zeros(A, triangle, Diagonal::stored);
  if (mirror == Op::conjugate_transpose) make_diagonal_real(whole);
  Matrix<T> rest = zeros_like(A);
  for_triangle(whole, triangle, [&](auto i, auto j) { rest(i, j) = whole(i, j); });
  for_diagonal(rest, [](T& element) { element = T(0); });
  redistribute<T>(T(1), RedistributionSource<T>(mirror, rest), T(1), whole);
  return whole;
}

template <MatrixElement T>
void add_triangle(Triangle triangle, T alpha, const Matrix<T>& W, T beta, Matrix<T>& C) {
  for_triangle(C, triangle, [&](auto i, auto j) {
    T& element = C(i, j);
    element = beta == T(0) ? alpha * W(i, j) : alpha * W(i, j) + beta * element;
  });
}

template <MatrixElement T>
void make_diagonal_real(Matrix<T>& C) {
  for_diagonal(C, [](T& element) { element = T(std::real(element)); });
}

template <MatrixElement T>
void require_finite(const Matrix<T>& A) {
  collective_try(A.communicator(), [&] {
    const LocalView<const T> local = A.local();
    for (std::int64_t j = 0; j < local.columns; ++j) {
      if (!std::all_of(local.column(j), local.column(j) + local.rows, is_finite<T>))
        throw Error(ErrorCode::invalid_argument, "a matrix has an element that is not finite");
    }
  });
}

#define CUBOID_INSTANTIATE(T)                                               \
  template Matrix<T> room_like(const Matrix<T>&);                           \
  template Matrix<T> with_zeros(const Matrix<T>&, Triangle, Diagonal);      \
  template Matrix<T> mirrored(const Matrix<T>&, Triangle, Op);              \
  template void add_triangle(Triangle, T, const Matrix<T>&, T, Matrix<T>&); \
  template void make_diagonal_real(Matrix<T>&);                             \
  template void require_finite(const Matrix<T>&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail::scalapack
