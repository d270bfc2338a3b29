#pragma once

#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/qr.hpp>

#include <optional>

namespace cuboid::detail::tools {

/// What --check has to tell, in Frobenius norms.
struct QrCheck {
  /// ‖A − Q·R‖ / (ε·max(m, n)·‖A‖), and ‖QᴴQ − I‖ / (ε·max(m, n)); near 1 or below.
  std::optional<double> factors, orthogonality;
  /// m >= n: ‖Aᴴ·(A·X − B)‖ / (ε·max(m, n)·‖A‖·(‖A‖·‖X‖ + ‖B‖)); else ‖A·X − B‖ over the same
  /// without the first ‖A‖.
  std::optional<double> solution;

  /// That of LAPACK's own tests.
  static constexpr double bound = 30;
  bool holds() const {
    const auto within = [](const std::optional<double>& value) {
      return !value || *value <= bound;
    };
    return within(factors) && within(orthogonality) && within(solution);
  }
};

/// Of the thin Q and R. Collective. Takes a copy of A, Q and R.
template <MatrixElement T>
QrCheck check_factors(const Matrix<T>& A, const QrFactorisation<T>& factors,
                      const LocalKernels& kernels);

/// Of a solution. Collective.
template <MatrixElement T>
QrCheck check_solution(const Matrix<T>& A, const Matrix<T>& X, const Matrix<T>& B,
                       const LocalKernels& kernels);

}  // namespace cuboid::detail::tools
