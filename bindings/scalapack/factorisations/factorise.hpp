#pragma once

#include <cuboid/element.hpp>

#include <cstddef>

namespace cuboid::detail::scalapack {

/// ScaLAPACK's p?getrf, as Fortran calls it.
template <MatrixElement T>
using Getrf = void(const int* m, const int* n, T* A, const int* ia, const int* ja,
                   const int* desc_a, int* pivots, int* info);

/// ScaLAPACK's p?potrf, a Fortran routine: the length of UPLO is the last argument.
template <MatrixElement T>
using Potrf = void(const char* uplo, const int* n, T* A, const int* ia, const int* ja,
                   const int* desc_a, int* info, std::size_t uplo_length);

/// Carries the call by Cuboid if that is faster, else by the native routine. Both pivot partially.
template <MatrixElement T>
void getrf(Getrf<T>* native, const int* m, const int* n, T* A, const int* ia, const int* ja,
           const int* desc_a, int* pivots, int* info);
template <MatrixElement T>
void potrf(Potrf<T>* native, const char* uplo, const int* n, T* A, const int* ia, const int* ja,
           const int* desc_a, int* info);

}  // namespace cuboid::detail::scalapack
