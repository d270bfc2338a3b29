#include "tools/qr/qr_check.hpp"

#include <cuboid/allreduce.hpp>
#include <cuboid/multiply.hpp>
#include <cuboid/redistribute.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <span>

namespace cuboid::detail::tools {

namespace {

template <MatrixElement T>
Matrix<T> made_in(const Communicator& communicator, const Layout& layout) {
  return collective_try(communicator, [&] { return Matrix<T>(communicator, layout); });
}

/// Infinite where an element is a NaN. Scaled by the largest element, so that no square overflows.
template <MatrixElement T>
double frobenius_norm(const Matrix<T>& matrix) {
  const LocalView<const T> part = matrix.local();
  double largest = 0, squares = 0;
  const auto for_each = [&part](const auto& use) {
    for (std::int64_t j = 0; j < part.columns; ++j) {
      for (std::int64_t i = 0; i < part.rows; ++i) use(static_cast<double>(std::abs(part(i, j))));
    }
  };
  for_each([&](double size) {
    if (!(size <= largest))
      largest = std::isnan(size) ? std::numeric_limits<double>::infinity() : size;
  });
  const std::span<double> all_largest(&largest, 1), all_squares(&squares, 1);
  allreduce(matrix.communicator(), all_largest, all_largest, Reduction::Kind::maximum);
  if (largest == 0 || std::isinf(largest)) return largest;
  for_each([&](double size) { squares += (size / largest) * (size / largest); });
  allreduce(matrix.communicator(), all_squares, all_squares, Reduction::Kind::sum);
  return largest * std::sqrt(squares);
}

double ratio(double value, double to) {
  return value == 0 ? 0 : value / to;
}

template <MatrixElement T>
double rounding_of(const Matrix<T>& A) {
  return static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon()) *
         static_cast<double>(std::max<std::int64_t>({A.m(), A.n(), 1}));
}

}  // namespace

template <MatrixElement T>
QrCheck check_factors(const Matrix<T>& A, const QrFactorisation<T>& factors,
                      const LocalKernels& kernels) {
  const Communicator& communicator = A.communicator();
  const std::int64_t k = std::min(A.m(), A.n());
  const GridShape grid = choose_grid(communicator.size());
  Matrix<T> Q = made_in<T>(communicator, Layout::block(A.m(), k, grid));
  Matrix<T> R = made_in<T>(communicator, Layout::block(k, A.n(), grid));
  factors.copy_q_to(Q);
  factors.copy_r_to(R);
  Matrix<T> residual = made_in<T>(communicator, A.layout());
  redistribute(Op::none, A, residual);
  multiply<T>(T(-1), Q, R, T(1), residual, kernels.gemm);
  Matrix<T> products = made_in<T>(communicator, Layout::block(k, k, grid));
  products.fill([](Global<Row> i, Global<Column> j) { return T(i.value == j.value ? 1 : 0); });
  multiply<T>(T(-1), conjugate_transpose(Q), Q, T(1), products, kernels.gemm);
  const double rounding = rounding_of(A);
  return {.factors = ratio(frobenius_norm(residual), rounding * frobenius_norm(A)),
          .orthogonality = frobenius_norm(products) / rounding,
          .solution = {}};
}

template <MatrixElement T>
QrCheck check_solution(const Matrix<T>& A, const Matrix<T>& X, const Matrix<T>& B,
                       const LocalKernels& kernels) {
  const Communicator& communicator = A.communicator();
  Matrix<T> residual = made_in<T>(communicator, B.layout());
  redistribute(Op::none, B, residual);
  multiply<T>(T(1), A, X, T(-1), residual, kernels.gemm);
  const double matrix = frobenius_norm(A);
  const double size = rounding_of(A) * (matrix * frobenius_norm(X) + frobenius_norm(B));
  if (A.m() < A.n())
    return {.factors = {}, .orthogonality = {}, .solution = ratio(frobenius_norm(residual), size)};
  Matrix<T> products =
      made_in<T>(communicator, Layout::block(A.n(), B.n(), choose_grid(communicator.size())));
  multiply<T>(T(1), conjugate_transpose(A), residual, T(0), products, kernels.gemm);
  return {.factors = {},
          .orthogonality = {},
          .solution = ratio(frobenius_norm(products), size * matrix)};
}

#define CUBOID_INSTANTIATE(T)                                                           \
  template QrCheck check_factors(const Matrix<T>&, const QrFactorisation<T>&,           \
                                 const LocalKernels&);                                  \
  template QrCheck check_solution(const Matrix<T>&, const Matrix<T>&, const Matrix<T>&, \
                                  const LocalKernels&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail::tools
