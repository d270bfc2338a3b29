#pragma once

#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "mm/lu/factorise_plan.hpp"

#include <optional>

namespace cuboid::detail::tools {

/// What --check has to tell: of factors, of a solution, or of both.
struct LuCheck {
  /// ‖P·A − L·U‖₁ / (ε·n·‖A‖₁); a backward stable factorisation stays near 1.
  std::optional<double> factors;
  /// HPL's ‖A·X − B‖∞ / (ε·(‖A‖∞·‖X‖∞ + ‖B‖∞)·n).
  std::optional<double> solution;
  /// max|U| / max|A| (Cholesky: of L).
  std::optional<double> growth;

  /// HPL's own bound.
  static constexpr double bound = 16;
  bool holds() const {
    return (!factors || *factors <= bound) && (!solution || *solution <= bound);
  }
};

/// ‖P·A − L·U‖ and growth, by a distributed product. Collective. Takes four copies of A.
template <MatrixElement T>
LuCheck check_factors(const Matrix<T>& A, const LuFactorisation<T>& factors,
                      const LocalKernels& kernels);

/// HPL's scaled residual. Collective.
template <MatrixElement T>
double scaled_residual(const Matrix<T>& A, const Matrix<T>& X, const Matrix<T>& B,
                       const LocalKernels& kernels);

}  // namespace cuboid::detail::tools
