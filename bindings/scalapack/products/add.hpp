#pragma once

#include <cuboid/element.hpp>
#include <cuboid/layout.hpp>

namespace cuboid::detail::scalapack {

/// PBLAS's p?tran, p?tranu and p?tranc, as Fortran calls them.
template <MatrixElement T>
using Tran = void(const int* m, const int* n, const T* alpha, const T* A, const int* ia,
                  const int* ja, const int* desc_a, const T* beta, T* C, const int* ic,
                  const int* jc, const int* desc_c);

/// PBLAS's p?geadd.
template <MatrixElement T>
using Geadd = void(const char* trans, const int* m, const int* n, const T* alpha, const T* A,
                   const int* ia, const int* ja, const int* desc_a, const T* beta, T* C,
                   const int* ic, const int* jc, const int* desc_c);

/// Carries the call by Cuboid if that is faster, else by the native routine.
template <MatrixElement T>
void tran(Tran<T>* native, Op op, const int* m, const int* n, const T* alpha, const T* A,
          const int* ia, const int* ja, const int* desc_a, const T* beta, T* C, const int* ic,
          const int* jc, const int* desc_c);
template <MatrixElement T>
void geadd(Geadd<T>* native, const char* trans, const int* m, const int* n, const T* alpha,
           const T* A, const int* ia, const int* ja, const int* desc_a, const T* beta, T* C,
           const int* ic, const int* jc, const int* desc_c);

}  // namespace cuboid::detail::scalapack
