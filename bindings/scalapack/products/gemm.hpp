#pragma once

#include <cuboid/element.hpp>

#include <functional>

namespace cuboid::detail::scalapack {

/// PBLAS's p?gemm, as Fortran calls it.
template <MatrixElement T>
using Gemm = void(const char* trans_a, const char* trans_b, const int* m, const int* n,
                  const int* k, const T* alpha, const T* A, const int* ia, const int* ja,
                  const int* desc_a, const T* B, const int* ib, const int* jb, const int* desc_b,
                  const T* beta, T* C, const int* ic, const int* jc, const int* desc_c);

/// Carries the call by Cuboid if that is faster, else by the native routine.
template <MatrixElement T>
void gemm(Gemm<T>* native, const char* trans_a, const char* trans_b, const int* m, const int* n,
          const int* k, const T* alpha, const T* A, const int* ia, const int* ja, const int* desc_a,
          const T* B, const int* ib, const int* jb, const int* desc_b, const T* beta, T* C,
          const int* ic, const int* jc, const int* desc_c);

}  // namespace cuboid::detail::scalapack
