#pragma once

#include <cuboid/local_lapack.hpp>
#include <cuboid/qr.hpp>

#include "tests/mm/whole_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// A·B, or Aᴴ·B, written out.
template <MatrixElement T>
WholeMatrix<T> times(Op op, const WholeMatrix<T>& A, const WholeMatrix<T>& B) {
  const bool plain = op == Op::none;
  return WholeMatrix<T>::made(plain ? A.m : A.n, B.n, [&](std::int64_t i, std::int64_t j) {
    T sum{};
    for (std::int64_t k = 0; k < B.m; ++k) sum += (plain ? A(i, k) : conjugate(A(k, i))) * B(k, j);
    return sum;
  });
}

/// The largest difference of two elements; infinite for a NaN.
template <MatrixElement T>
double largest_difference(const WholeMatrix<T>& one, const WholeMatrix<T>& other) {
  double largest = 0;
  for (std::size_t i = 0; i < one.values.size(); ++i) {
    const double difference = std::abs(one.values[i] - other.values[i]);
    if (!(difference <= largest))
      largest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
  }
  return largest;
}

template <MatrixElement T>
WholeMatrix<T> whole_identity(std::int64_t order) {
  return WholeMatrix<T>::made(order, order,
                              [](std::int64_t i, std::int64_t j) { return T(i == j ? 1 : 0); });
}

/// Q, all or its first columns, and R.
template <MatrixElement T>
struct WholeQr {
  WholeMatrix<T> Q, R;

  /// ‖A − Q·R‖ and ‖QᴴQ − I‖ in their largest elements.
  double residual(const WholeMatrix<T>& A) const {
    return largest_difference(times(Op::none, Q, R), A);
  }
  double orthogonality() const {
    return largest_difference(times(Op::conjugate_transpose, Q, Q), whole_identity<T>(Q.n));
  }

  static WholeQr gathered(const QrFactorisation<T>& factors, const Communicator& communicator) {
    const std::int64_t m = factors.m(), n = factors.n(), k = std::min(m, n);
    Matrix<T> Q(communicator, Layout::block_cyclic(m, k, 3, 2, choose_grid(communicator.size())));
    Matrix<T> R(communicator, Layout::block(k, n, GridShape(1, communicator.size())));
    factors.copy_q_to(Q);
    factors.copy_r_to(R);
    return {WholeMatrix<T>::gathered(Q), WholeMatrix<T>::gathered(R)};
  }
};

/// A as LAPACK factorises it, by columns of which there are no more than rows.
template <MatrixElement T>
struct LapackQr {
  WholeMatrix<T> factors;       ///< V below the diagonal, R above
  WholeMatrix<T> block_factor;  ///< T

  LapackQr(const WholeMatrix<T>& A, const LocalKernels& kernels)
      : factors(A), block_factor(A.n, A.n) {
    kernels.lapack.geqrt(factors.view(), block_factor.view());
  }

  WholeMatrix<T> vectors() const {
    return WholeMatrix<T>::made(factors.m, factors.n, [&](std::int64_t i, std::int64_t j) {
      return i > j ? factors(i, j) : T(i == j ? 1 : 0);
    });
  }
  WholeQr<T> whole() const {
    const auto V = vectors();
    const auto first = WholeMatrix<T>::made(factors.n, factors.n,
                                            [&](auto i, auto j) { return conjugate(V(j, i)); });
    auto Q = times(Op::none, V, times(Op::none, block_factor, first));
    for (std::int64_t j = 0; j < Q.n; ++j)
      for (std::int64_t i = 0; i < Q.m; ++i) Q(i, j) = T(i == j ? 1 : 0) - Q(i, j);
    const auto R = WholeMatrix<T>::made(
        factors.n, factors.n, [&](auto i, auto j) { return i <= j ? factors(i, j) : T(0); });
    return {Q, R};
  }
};

}  // namespace cuboid::detail
