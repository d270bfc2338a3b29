#pragma once

#include <cuboid/element.hpp>
#include <cuboid/export.hpp>
#include <cuboid/matrix.hpp>

namespace cuboid {

/// The norms of LAPACK's ?lange.
enum class Norm {
  one,        ///< the largest sum of the moduli of a column
  infinity,   ///< the largest sum of the moduli of a row
  frobenius,  ///< the square root of the sum of the squared moduli; does not overflow in between
  maximum     ///< the largest modulus; not consistent: ‖A·B‖ may exceed ‖A‖·‖B‖
};

/// ‖A‖ of a matrix in any layout. Every rank gets the same value: NaN if A has a NaN, 0 if A is
/// empty. Collective over the communicator of A. Needs memory for n (one) or m (infinity) numbers
/// on every rank. Throws Error(out_of_memory), and what communication throws.
template <MatrixElement T>
CUBOID_API double norm(Norm kind, const Matrix<T>& A);

}  // namespace cuboid
