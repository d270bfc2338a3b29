#pragma once

#include <cuboid/element.hpp>
#include <cuboid/export.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include <optional>
#include <type_traits>

namespace cuboid {

// LAPACK's helpers ?laset, ?lacpy and ?lascl for matrices and views of any shape in any layout.
// `triangle` names the elements that are meant: those on and below the diagonal that begins at the
// first element, those on and above it, or without a triangle all. The others are neither read nor
// written.

/// A(i, i) ← diagonal, all other elements that are meant ← off_diagonal. Not collective: each rank
/// writes what it has. Throws Error(out_of_memory) where a part on a device has no room here.
///
///   laset({}, 0.0, 1.0, A);  // the identity
template <MatrixElement T>
CUBOID_API void laset(std::optional<Triangle> triangle, std::type_identity_t<T> off_diagonal,
                      std::type_identity_t<T> diagonal, Matrix<T>& A);

/// B ← A for the elements that are meant. Collective over the communicator of A and B. Throws on
/// every rank, before anything is written: Error(invalid_argument) where the shapes or
/// communicators differ or A and B share memory. Also throws Error(out_of_memory), and what
/// communication throws.
template <MatrixElement T>
CUBOID_API void lacpy(std::optional<Triangle> triangle, const Matrix<T>& A, Matrix<T>& B);

/// A ← A·factor/divisor for the elements that are meant, without overflow or underflow in between:
/// in several steps where the quotient is no number of the matrix's type. Not collective: each rank
/// scales what it has. Throws Error(invalid_argument) for a divisor of 0, and where either is NaN;
/// Error(out_of_memory) as laset().
template <MatrixElement T>
CUBOID_API void lascl(std::optional<Triangle> triangle, double divisor, double factor,
                      Matrix<T>& A);

}  // namespace cuboid
