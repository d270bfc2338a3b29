#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "mm/qr/dense_matrix.hpp"

#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// C ← α·op(A)·B + β·C for views of this rank's memory.
template <MatrixElement T>
void multiply_views(const LocalGemm& gemm, T alpha, Op op, LocalView<const T> A,
                    LocalView<const T> B, T beta, LocalView<T> C) {
  const std::int64_t inner = op == Op::none ? A.columns : A.rows;
  gemm(op, Op::none, C.rows, C.columns, inner, alpha, A.data, A.leading_dimension, B.data,
       B.leading_dimension, beta, C.data, C.leading_dimension);
}

/// Writes ones on the diagonal of the first columns, and zeros above.
template <MatrixElement T>
void set_unit_upper(LocalView<T> vectors);

/// Copies the Householder vectors V that a factorisation has left below the diagonal of `factors`,
/// with ones on the diagonal of the first columns and zeros above. `vectors` has the same shape.
template <MatrixElement T>
void copy_unit_lower(LocalView<const T> factors, LocalView<T> vectors);

/// The triangular factor T of the block reflector H₁·H₂·… = I − V·T·Vᴴ with Hⱼ = I − τⱼ·vⱼ·vⱼᴴ
/// (Schreiber and Van Loan 1989; LAPACK's ?larft).
/// @param products  VᴴV, of which the strict upper triangle is read.
/// @param factor    the τⱼ on its diagonal; the rest is written, zeros below.
template <MatrixElement T>
void form_block_factor(LocalView<const T> products, LocalView<T> factor);

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
