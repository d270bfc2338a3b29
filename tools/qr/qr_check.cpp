#include "tools/qr/qr_check.hpp"

#include <cuboid/multiply.hpp>
#include <cuboid/norms.hpp>
#include <cuboid/redistribute.hpp>

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/new_matrix.hpp"
#include "tools/factorisation/step_cost.hpp"

#include <algorithm>
#include <complex>
#include <limits>

namespace cuboid::detail::tools {

namespace {

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
  Matrix<T> Q = new_matrix<T>(communicator, Layout::block(A.m(), k, grid));
  Matrix<T> R = new_matrix<T>(communicator, Layout::block(k, A.n(), grid));
  factors.copy_q_to(Q);
  factors.copy_r_to(R);
  Matrix<T> residual = new_matrix<T>(communicator, A.layout());
  redistribute(Op::none, A, residual);
  multiply<T>(T(-1), Q, R, T(1), residual, kernels.gemm);
  Matrix<T> products = new_matrix<T>(communicator, Layout::block(k, k, grid));
  products.fill([](Global<Row> i, Global<Column> j) { return T(i.value == j.value ? 1 : 0); });
  multiply<T>(T(-1), conjugate_transpose(Q), Q, T(1), products, kernels.gemm);
  const double rounding = rounding_of(A);
  return {.factors = ratio(norm(Norm::frobenius, residual), rounding * norm(Norm::frobenius, A)),
          .orthogonality = norm(Norm::frobenius, products) / rounding,
          .solution = {}};
}

template <MatrixElement T>
QrCheck check_solution(const Matrix<T>& A, const Matrix<T>& X, const Matrix<T>& B,
                       const LocalKernels& kernels) {
  const Communicator& communicator = A.communicator();
  Matrix<T> residual = new_matrix<T>(communicator, B.layout());
  redistribute(Op::none, B, residual);
  multiply<T>(T(1), A, X, T(-1), residual, kernels.gemm);
  const double matrix = norm(Norm::frobenius, A);
  const double size =
      rounding_of(A) * (matrix * norm(Norm::frobenius, X) + norm(Norm::frobenius, B));
  if (A.m() < A.n())
    return {.factors = {},
            .orthogonality = {},
            .solution = ratio(norm(Norm::frobenius, residual), size)};
  Matrix<T> products =
      new_matrix<T>(communicator, Layout::block(A.n(), B.n(), choose_grid(communicator.size())));
  multiply<T>(T(1), conjugate_transpose(A), residual, T(0), products, kernels.gemm);
  return {.factors = {},
          .orthogonality = {},
          .solution = ratio(norm(Norm::frobenius, products), size * matrix)};
}

#define CUBOID_INSTANTIATE(T)                                                           \
  template QrCheck check_factors(const Matrix<T>&, const QrFactorisation<T>&,           \
                                 const LocalKernels&);                                  \
  template QrCheck check_solution(const Matrix<T>&, const Matrix<T>&, const Matrix<T>&, \
                                  const LocalKernels&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail::tools
