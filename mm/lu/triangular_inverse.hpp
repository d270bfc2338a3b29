#pragma once

#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include <cstdint>
#include <span>

namespace cuboid::detail {

/// X ← A⁻¹ of A = Lᴴᴴ·Lᴴ or Uᴴ·U, for the triangle L or U that stands in X (LAPACK's ?potri): the
/// inverse's triangle comes in its place. Inverts the triangle, and multiplies the inverse by its
/// own adjoint by halves, each in about n³/3 operations. The other triangle is neither read nor
/// written. Collective. Throws as trtri().
template <MatrixElement T>
void invert_from_cholesky(Triangle triangle, Matrix<T>& X, const LocalKernels& kernels);

/// X ← A⁻¹ of P·A = L·U, for L and U that stand in X as ?getrf leaves them (LAPACK's ?getri):
/// inverts U, and solves A⁻¹·P⁻¹·L = U⁻¹ by halves. 4n³/3 operations and what trmm() computes of
/// the other triangle. Takes memory for one more X. Collective. Throws as trtri().
/// @param swaps  LAPACK's IPIV, counted from 0, the same on every rank.
template <MatrixElement T>
void invert_from_lu(std::span<const std::int64_t> swaps, Matrix<T>& X, const LocalKernels& kernels);

}  // namespace cuboid::detail
