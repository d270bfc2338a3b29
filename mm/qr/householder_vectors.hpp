#pragma once

#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "mm/qr/dense_matrix.hpp"

#include <vector>

namespace cuboid::detail {

/// What turns the thin Q of a tall matrix into Householder vectors (Ballard et al. 2014, "
/// Reconstructing Householder vectors from tall-skinny QR", §3): with S = diag(signs),
///
///   Q − [S; 0] = V·U,   V unit lower trapezoidal, U upper triangular,
///   Q·S = (I − V·T·Vᴴ)·[I; 0],   T = −U·S·V₁⁻ᴴ, V₁ the first rows of V.
template <MatrixElement T>
struct HouseholderVectors {
  DenseMatrix<T> upper;          ///< U
  DenseMatrix<T> factor;         ///< T, upper triangular, zeros below
  std::vector<RealOf<T>> signs;  ///< of S: 1 or -1

  /// Needs the first rows of Q alone, a square, which becomes V₁ with U above it. S is chosen on
  /// the way, so that no pivot of U is less than 1.
  static HouseholderVectors of(LocalView<T> first_rows, const LocalKernels& kernels);
};

}  // namespace cuboid::detail
