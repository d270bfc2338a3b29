#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>

#include <cstdint>

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

}  // namespace cuboid::detail
