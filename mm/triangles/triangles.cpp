#include "mm/triangles/triangles.hpp"

#include <cuboid/error.hpp>
#include <cuboid/redistribute.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/finite.hpp"
#include "mm/matrix/host_mirror.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/new_matrix.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <vector>

namespace cuboid::detail {

namespace {

template <MatrixElement T>
Matrix<T> zeros_like(const Matrix<T>& other) {
  Matrix<T> zeros = new_matrix_like<T>(other);
  scale(T(0), zeros.local());
  return zeros;
}

}  // namespace

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
void redistribute_triangle(Op op, const Matrix<T>& source, Triangle written, OtherTriangle other,
                           Matrix<T>& destination) {
  // The triangle is moved in strips: columns of a lower triangle, rows of an upper one.
  constexpr std::int64_t most_strips = 8, narrow = 512;
  const bool lower = written == Triangle::lower;
  const std::int64_t n = destination.n();
  const std::int64_t width = std::max((n + most_strips - 1) / most_strips, narrow);
  const auto block = [](auto& whole, std::int64_t i, std::int64_t j, std::int64_t rows,
                        std::int64_t columns) {
    return view(whole, Global<Row>(i), Global<Column>(j), rows, columns);
  };
  const auto from = [&](std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns) {
    return op == Op::none ? block(source, i, j, rows, columns) : block(source, j, i, columns, rows);
  };
  const auto move = [&](std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns) {
    if (rows > 0 && columns > 0)
      redistribute(op, from(i, j, rows, columns), block(destination, i, j, rows, columns));
  };
  for (std::int64_t begin = 0; begin < n; begin += width) {
    const std::int64_t side = std::min(width, n - begin);
    std::int64_t next = begin;
    if (other == OtherTriangle::kept) {
      // The square on the diagonal goes to separate memory.
      auto square = block(destination, begin, begin, side, side);
      Matrix<T> came = new_matrix_like<T>(square);
      redistribute(op, from(begin, begin, side, side), came);
      HostMirror<T> on_host(square);
      on_host.fetch();
      Matrix<T>& to = on_host.get();
      for_triangle(to, written, [&](auto i, auto j) { to(i, j) = came(i, j); });
      on_host.give_back();
      next += side;
    }
    if (lower) {
      move(next, begin, n - next, side);
    } else {
      move(begin, next, side, n - next);
    }
  }
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
    if (!all_finite<const T>(A.local()))
      throw Error(ErrorCode::invalid_argument, "a matrix has an element that is not finite");
  });
}

#define CUBOID_INSTANTIATE(T)                                                                     \
  template Matrix<T> with_zeros(const Matrix<T>&, Triangle, Diagonal);                            \
  template Matrix<T> mirrored(const Matrix<T>&, Triangle, Op);                                    \
  template void redistribute_triangle(Op, const Matrix<T>&, Triangle, OtherTriangle, Matrix<T>&); \
  template void add_triangle(Triangle, T, const Matrix<T>&, T, Matrix<T>&);                       \
  template void make_diagonal_real(Matrix<T>&);                                                   \
  template void require_finite(const Matrix<T>&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
