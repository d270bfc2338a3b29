#pragma once

#include <cuboid/element.hpp>

#include <cstddef>

namespace cuboid::detail::scalapack {

/// ScaLAPACK's p?geqrf, as Fortran calls it.
template <MatrixElement T>
using Geqrf = void(const int* m, const int* n, T* A, const int* ia, const int* ja,
                   const int* desc_a, T* tau, T* work, const int* work_length, int* info);

/// ScaLAPACK's p?ormqr and p?unmqr: the lengths of SIDE and TRANS are the last arguments.
template <MatrixElement T>
using Ormqr = void(const char* side, const char* trans, const int* m, const int* n, const int* k,
                   const T* A, const int* ia, const int* ja, const int* desc_a, const T* tau, T* C,
                   const int* ic, const int* jc, const int* desc_c, T* work, const int* work_length,
                   int* info, std::size_t side_length, std::size_t trans_length);

/// ScaLAPACK's p?gels: the length of TRANS is the last argument.
template <MatrixElement T>
using Gels = void(const char* trans, const int* m, const int* n, const int* right_hand_sides, T* A,
                  const int* ia, const int* ja, const int* desc_a, T* B, const int* ib,
                  const int* jb, const int* desc_b, T* work, const int* work_length, int* info,
                  std::size_t trans_length);

/// Carries the call by Cuboid if that is faster, else by the native routine. The factors and TAU
/// are as ScaLAPACK's but for rounding. Of WORK only the first element is written, the length that
/// ScaLAPACK asks for; queries of that length are handed on, and so are calls with a shorter WORK,
/// and p?gels with fewer rows than columns or without full rank.
template <MatrixElement T>
void geqrf(Geqrf<T>* native, const int* m, const int* n, T* A, const int* ia, const int* ja,
           const int* desc_a, T* tau, T* work, const int* work_length, int* info);
template <MatrixElement T>
void ormqr(Ormqr<T>* native, const char* side, const char* trans, const int* m, const int* n,
           const int* k, const T* A, const int* ia, const int* ja, const int* desc_a, const T* tau,
           T* C, const int* ic, const int* jc, const int* desc_c, T* work, const int* work_length,
           int* info);
template <MatrixElement T>
void gels(Gels<T>* native, const char* trans, const int* m, const int* n,
          const int* right_hand_sides, T* A, const int* ia, const int* ja, const int* desc_a, T* B,
          const int* ib, const int* jb, const int* desc_b, T* work, const int* work_length,
          int* info);

}  // namespace cuboid::detail::scalapack
