#pragma once

#include <cuboid/element.hpp>
#include <cuboid/layout.hpp>

namespace cuboid::detail::scalapack {

/// PBLAS's p?syrk, and p?herk with real scalars, as Fortran calls them.
template <MatrixElement T, class Scalar>
using Syrk = void(const char* uplo, const char* trans, const int* n, const int* k,
                  const Scalar* alpha, const T* A, const int* ia, const int* ja, const int* desc_a,
                  const Scalar* beta, T* C, const int* ic, const int* jc, const int* desc_c);

/// PBLAS's p?syr2k, and p?her2k with a real β.
template <MatrixElement T, class Scalar>
using Syr2k = void(const char* uplo, const char* trans, const int* n, const int* k, const T* alpha,
                   const T* A, const int* ia, const int* ja, const int* desc_a, const T* B,
                   const int* ib, const int* jb, const int* desc_b, const Scalar* beta, T* C,
                   const int* ic, const int* jc, const int* desc_c);

/// Carries the call by Cuboid if that is faster, else by the native routine.
/// @param mirror  the op that maps C to itself: transpose, or conjugate_transpose.
template <MatrixElement T, class Scalar>
void syrk(Syrk<T, Scalar>* native, Op mirror, const char* uplo, const char* trans, const int* n,
          const int* k, const Scalar* alpha, const T* A, const int* ia, const int* ja,
          const int* desc_a, const Scalar* beta, T* C, const int* ic, const int* jc,
          const int* desc_c);
template <MatrixElement T, class Scalar>
void syr2k(Syr2k<T, Scalar>* native, Op mirror, const char* uplo, const char* trans, const int* n,
           const int* k, const T* alpha, const T* A, const int* ia, const int* ja,
           const int* desc_a, const T* B, const int* ib, const int* jb, const int* desc_b,
           const Scalar* beta, T* C, const int* ic, const int* jc, const int* desc_c);

}  // namespace cuboid::detail::scalapack
