#include <cuboid/elementwise.hpp>
#include <cuboid/error.hpp>
#include <cuboid/redistribute.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/host_mirror.hpp"
#include "mm/matrix/local_views.hpp"
#include "mm/matrix/ranks.hpp"
#include "mm/triangles/triangles.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

/// Calls use(element) for the local elements of a triangle, or of the whole matrix.
template <MatrixElement T, class Use>
void for_elements(Matrix<T>& matrix, std::optional<Triangle> triangle, const Use& use) {
  if (triangle) {
    for_triangle(matrix, *triangle, [&](auto i, auto j) { use(matrix(i, j)); });
    return;
  }
  const LocalView<T> part = matrix.local();
  for (std::int64_t j = 0; j < part.columns; ++j) {
    T* const column = part.column(j);
    for (std::int64_t i = 0; i < part.rows; ++i) use(column[i]);
  }
}

/// Numbers whose product is factor/divisor, each of which a normal number of type R can hold
/// together with its reciprocal, as LAPACK's ?lascl takes them: multiplied one after the other they
/// neither overflow nor underflow where the result does not.
template <class R>
std::vector<R> steps_of_scale(double divisor, double factor) {
  constexpr double smallest = std::numeric_limits<R>::min(), largest = 1 / smallest;
  std::vector<R> steps;
  while (true) {
    const double less = divisor * smallest, fewer = factor / largest;
    // An infinite divisor, or a factor that is infinite or 0, leaves nothing to be divided up.
    const bool at_once = less == divisor || fewer == factor;
    if (!at_once && std::abs(less) > std::abs(factor)) {
      steps.push_back(static_cast<R>(smallest));
      divisor = less;
    } else if (!at_once && std::abs(fewer) > std::abs(divisor)) {
      steps.push_back(static_cast<R>(largest));
      factor = fewer;
    } else {
      steps.push_back(static_cast<R>(factor / divisor));
      return steps;
    }
  }
}

}  // namespace

template <MatrixElement T>
void laset(std::optional<Triangle> triangle, std::type_identity_t<T> off_diagonal,
           std::type_identity_t<T> diagonal, Matrix<T>& A) {
  HostMirror<T> on_host(A);
  if (triangle) on_host.fetch();
  Matrix<T>& matrix = on_host.get();
  for_elements(matrix, triangle, [&](T& element) { element = off_diagonal; });
  for_diagonal(matrix, [&](T& element) { element = diagonal; });
  on_host.give_back();
}

template <MatrixElement T>
void lacpy(std::optional<Triangle> triangle, const Matrix<T>& A, Matrix<T>& B) {
  if (A.m() != B.m() || A.n() != B.n()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("lacpy: A is {}x{} and B {}x{}: give matrices of one shape", A.m(),
                            A.n(), B.m(), B.n()));
  }
  if (!same_communicator(A.communicator(), B.communicator())) {
    throw Error(ErrorCode::invalid_argument,
                "lacpy: A and B are on different communicators: make them on one");
  }
  collective_try(B.communicator(), [&] {
    if (!overlap<T>(A.local(), B.local())) return;
    throw Error(ErrorCode::invalid_argument,
                "lacpy: A and B share memory: give B memory of its own");
  });
  if (!triangle) return redistribute(Op::none, A, B);
  const std::int64_t order = std::min(A.m(), A.n());
  const auto part = [](auto& whole, std::int64_t i, std::int64_t j, std::int64_t rows,
                       std::int64_t columns) {
    return view(whole, Global<Row>(i), Global<Column>(j), rows, columns);
  };
  MatrixView<T> square = part(B, 0, 0, order, order);
  redistribute_triangle<T>(Op::none, part(A, 0, 0, order, order), *triangle, OtherTriangle::kept,
                           square);
  // The rows below a lower triangle, or the columns right of an upper triangle.
  const bool lower = *triangle == Triangle::lower;
  const std::int64_t i = lower ? order : 0, j = lower ? 0 : order;
  const std::int64_t rows = lower ? A.m() - order : order, columns = lower ? order : A.n() - order;
  if (rows > 0 && columns > 0) {
    redistribute<T>(Op::none, part(A, i, j, rows, columns), part(B, i, j, rows, columns));
  }
}

template <MatrixElement T>
void lascl(std::optional<Triangle> triangle, double divisor, double factor, Matrix<T>& A) {
  if (divisor == 0 || std::isnan(divisor) || std::isnan(factor)) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("lascl: A·{}/{}: give numbers, and a divisor other than 0", factor, divisor));
  }
  if (factor == divisor && std::isfinite(factor)) return;
  const auto steps = steps_of_scale<RealOf<T>>(divisor, factor);
  HostMirror<T> on_host(A);
  on_host.fetch();
  for_elements(on_host.get(), triangle, [&](T& element) {
    for (const RealOf<T> step : steps) element *= step;
  });
  on_host.give_back();
}

#define CUBOID_INSTANTIATE(T)                                                 \
  template void laset(std::optional<Triangle>, T, T, Matrix<T>&);             \
  template void lacpy(std::optional<Triangle>, const Matrix<T>&, Matrix<T>&); \
  template void lascl(std::optional<Triangle>, double, double, Matrix<T>&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid
