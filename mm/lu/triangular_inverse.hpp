#pragma once

#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

namespace cuboid::detail {

/// X ← A⁻¹ of A = Lᴴᴴ·Lᴴ or Uᴴ·U, for the triangle L or U that stands in X (LAPACK's ?potri): the
/// inverse's triangle comes in its place. Inverts the triangle, and multiplies the inverse by its
/// own adjoint by halves, each in about n³/3 operations. The other triangle is neither read nor
/// written. Collective. Throws as trtri().
template <MatrixElement T>
void invert_from_cholesky(Triangle triangle, Matrix<T>& X, const LocalKernels& kernels);

}  // namespace cuboid::detail
