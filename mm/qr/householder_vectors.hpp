#pragma once

#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "mm/qr/dense_matrix.hpp"

#include <vector>

namespace cuboid::detail {

/// Turns the thin Q of a tall matrix into Householder vectors (Ballard et al. 2014, §3). With S =
/// diag(signs),
///
///   Q − [S; 0] = V·U,   V unit lower trapezoidal, U upper triangular,
///   Q·S = (I − V·T·Vᴴ)·[I; 0],   T = −U·S·V₁⁻ᴴ, V₁ the first rows of V.
template <MatrixElement T>
struct HouseholderVectors {
  DenseMatrix<T> upper;          ///< U
  DenseMatrix<T> factor;         ///< T, upper triangular, zeros below
  std::vector<RealOf<T>> signs;  ///< the diagonal of S: 1 or -1

  /// Needs only the first rows of Q, a square matrix, which becomes V₁ with U above it. S is chosen
  /// during the elimination, so that no pivot of U is less than 1.
  static HouseholderVectors of(LocalView<T> first_rows, const LocalKernels& kernels);
};

}  // namespace cuboid::detail
