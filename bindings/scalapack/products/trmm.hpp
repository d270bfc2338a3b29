#pragma once

#include <cuboid/element.hpp>

#include "bindings/scalapack/products/trsm.hpp"

namespace cuboid::detail::scalapack {

/// PBLAS's p?trmm, which has the arguments of p?trsm.
template <MatrixElement T>
using Trmm = Trsm<T>;

/// PBLAS's p?tradd, as Fortran calls it.
template <MatrixElement T>
using Tradd = void(const char* uplo, const char* trans, const int* m, const int* n, const T* alpha,
                   const T* A, const int* ia, const int* ja, const int* desc_a, const T* beta, T* C,
                   const int* ic, const int* jc, const int* desc_c);

/// Carries the call by Cuboid if that is faster, else by the native routine.
template <MatrixElement T>
void trmm(Trmm<T>* native, const char* side, const char* uplo, const char* trans, const char* diag,
          const int* m, const int* n, const T* alpha, const T* A, const int* ia, const int* ja,
          const int* desc_a, T* B, const int* ib, const int* jb, const int* desc_b);
template <MatrixElement T>
void tradd(Tradd<T>* native, const char* uplo, const char* trans, const int* m, const int* n,
           const T* alpha, const T* A, const int* ia, const int* ja, const int* desc_a,
           const T* beta, T* C, const int* ic, const int* jc, const int* desc_c);

}  // namespace cuboid::detail::scalapack
