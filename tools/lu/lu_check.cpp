#include "tools/lu/lu_check.hpp"

#include <cuboid/multiply.hpp>
#include <cuboid/norms.hpp>
#include <cuboid/redistribute.hpp>

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/new_matrix.hpp"
#include "tools/factorisation/step_cost.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <utility>

namespace cuboid::detail::tools {

namespace {

template <MatrixElement T>
Matrix<T> in_layout(const Matrix<T>& matrix, const Layout& layout) {
  Matrix<T> moved = new_matrix<T>(matrix.communicator(), layout);
  redistribute(Op::none, matrix, moved);
  return moved;
}

/// Each rank has whole columns.
Layout whole_columns(std::int64_t m, std::int64_t n, int ranks) {
  return Layout::block(m, n, GridShape(1, ranks));
}

/// Keeps the elements of this rank's whole columns for which keep(i, j) holds, at (k, k) `diagonal`
/// unless that is 0, and zeros elsewhere.
template <MatrixElement T, class Keep>
void keep_triangle(Matrix<T>& matrix, const Keep& keep, T diagonal) {
  const auto here = matrix.position();
  if (!here) return;
  for (Local<Column> j; j.value < matrix.local_columns(); ++j) {
    const std::int64_t column = matrix.layout().columns().global(here->column, j).value;
    for (Local<Row> i; i.value < matrix.local_rows(); ++i) {
      T& element = matrix(i, j);
      if (i.value == column && diagonal != T(0)) {
        element = diagonal;
      } else if (!keep(i.value, column)) {
        element = T(0);
      }
    }
  }
}

}  // namespace

template <MatrixElement T>
LuCheck check_factors(const Matrix<T>& A, const LuFactorisation<T>& factors,
                      const LocalKernels& kernels) {
  const Communicator& communicator = A.communicator();
  const std::int64_t m = A.m(), n = A.n(), k = std::min(m, n);
  const int ranks = communicator.size();
  Matrix<T> both = in_layout(A, whole_columns(m, n, ranks));
  factors.copy_to(both);
  // L is m×k and U k×n: the first columns and the first rows.
  Matrix<T> lower = new_matrix<T>(communicator, whole_columns(m, k, ranks));
  Matrix<T> upper = new_matrix<T>(communicator, whole_columns(k, n, ranks));
  const GlobalRange<Row> all_rows{Global<Row>(0), Global<Row>(m)},
      rows{Global<Row>(0), Global<Row>(k)};
  const GlobalRange<Column> all{Global<Column>(0), Global<Column>(n)},
      columns{Global<Column>(0), Global<Column>(k)};
  redistribute(Op::none, MatrixView<T>::of(both, {all_rows, columns}), lower);
  redistribute(Op::none, MatrixView<T>::of(both, {rows, all}), upper);
  const bool cholesky = factors.is_cholesky();
  keep_triangle(
      lower, [](std::int64_t i, std::int64_t j) { return i >= j; }, cholesky ? T(0) : T(1));
  keep_triangle(
      upper, [](std::int64_t i, std::int64_t j) { return i <= j; }, T(0));

  LuCheck check;
  check.growth = ratio(norm(Norm::maximum, upper), norm(Norm::maximum, A));
  // Whole columns can swap their rows by themselves.
  Matrix<T> residual = in_layout(A, whole_columns(m, n, ranks));
  if (cholesky) {
    // Only the lower triangle counts; the product is Hermitian by itself.
    keep_triangle(
        residual, [](std::int64_t i, std::int64_t j) { return i >= j; }, T(0));
  }
  const double size = norm(Norm::one, residual);
  const auto swaps = factors.pivots();
  for (std::int64_t j = 0; j < residual.local_columns(); ++j) {
    T* const column = residual.local().column(j);
    for (std::size_t step = 0; step < swaps.size(); ++step)
      std::swap(column[step], column[swaps[step]]);
  }
  if (k > 0) multiply<T>(T(-1), lower, upper, T(1), residual, kernels.gemm);
  if (cholesky)
    keep_triangle(
        residual, [](std::int64_t i, std::int64_t j) { return i >= j; }, T(0));
  const double epsilon = static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
  check.factors = ratio(norm(Norm::one, residual), epsilon * static_cast<double>(n) * size);
  return check;
}

template <MatrixElement T>
double scaled_residual(const Matrix<T>& A, const Matrix<T>& X, const Matrix<T>& B,
                       const LocalKernels& kernels) {
  Matrix<T> residual = in_layout(B, B.layout());
  multiply<T>(T(-1), A, X, T(1), residual, kernels.gemm);
  const double epsilon = static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
  const double size = norm(Norm::infinity, A) * norm(Norm::infinity, X);
  return ratio(norm(Norm::infinity, residual),
               epsilon * static_cast<double>(A.n()) * (size + norm(Norm::infinity, B)));
}

#define CUBOID_FOR(T)                                                                   \
  template LuCheck check_factors(const Matrix<T>&, const LuFactorisation<T>&,           \
                                 const LocalKernels&);                                  \
  template double scaled_residual(const Matrix<T>&, const Matrix<T>&, const Matrix<T>&, \
                                  const LocalKernels&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_FOR);
#undef CUBOID_FOR

}  // namespace cuboid::detail::tools
