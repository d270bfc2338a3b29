#pragma once

#include <cuboid/element.hpp>
#include <cuboid/layout.hpp>

namespace cuboid::detail::scalapack {

/// PBLAS's p?symm and p?hemm, as Fortran calls them.
template <MatrixElement T>
using Symm = void(const char* side, const char* uplo, const int* m, const int* n, const T* alpha,
                  const T* A, const int* ia, const int* ja, const int* desc_a, const T* B,
                  const int* ib, const int* jb, const int* desc_b, const T* beta, T* C,
                  const int* ic, const int* jc, const int* desc_c);

/// Carries the call by Cuboid if that is faster, else by the native routine.
/// @param mirror  the op that maps A to itself: transpose, or conjugate_transpose.
template <MatrixElement T>
void symm(Symm<T>* native, Op mirror, const char* side, const char* uplo, const int* m,
          const int* n, const T* alpha, const T* A, const int* ia, const int* ja, const int* desc_a,
          const T* B, const int* ib, const int* jb, const int* desc_b, const T* beta, T* C,
          const int* ic, const int* jc, const int* desc_c);

}  // namespace cuboid::detail::scalapack
