#pragma once

#include <cuboid/element.hpp>

#include <cstddef>

namespace cuboid::detail::scalapack {

/// ScaLAPACK's p?trtri, p?potri and p?getri, as Fortran calls them: the lengths of letters are the
/// last arguments.
template <MatrixElement T>
using Trtri = void(const char* uplo, const char* diag, const int* n, T* A, const int* ia,
                   const int* ja, const int* desc_a, int* info, std::size_t uplo_length,
                   std::size_t diag_length);
template <MatrixElement T>
using Potri = void(const char* uplo, const int* n, T* A, const int* ia, const int* ja,
                   const int* desc_a, int* info, std::size_t uplo_length);
template <MatrixElement T>
using Getri = void(const int* n, T* A, const int* ia, const int* ja, const int* desc_a,
                   const int* pivots, T* work, const int* work_length, int* integers,
                   const int* integers_length, int* info);

/// Carries the call by Cuboid if that is faster, else by the native routine, which also gets the
/// triangles with a zero on the diagonal.
template <MatrixElement T>
void trtri(Trtri<T>* native, const char* uplo, const char* diag, const int* n, T* A, const int* ia,
           const int* ja, const int* desc_a, int* info);
template <MatrixElement T>
void potri(Potri<T>* native, const char* uplo, const int* n, T* A, const int* ia, const int* ja,
           const int* desc_a, int* info);
template <MatrixElement T>
void getri(Getri<T>* native, const int* n, T* A, const int* ia, const int* ja, const int* desc_a,
           const int* pivots, T* work, const int* work_length, int* integers,
           const int* integers_length, int* info);

}  // namespace cuboid::detail::scalapack
