#pragma once

#include <cuboid/element.hpp>

#include <cstddef>

namespace cuboid::detail::scalapack {

/// ScaLAPACK's p?getrf, as Fortran calls it.
template <MatrixElement T>
using Getrf = void(const int* m, const int* n, T* A, const int* ia, const int* ja,
                   const int* desc_a, int* pivots, int* info);

/// ScaLAPACK's p?potrf, which is Fortran: the length of UPLO comes last.
template <MatrixElement T>
using Potrf = void(const char* uplo, const int* n, T* A, const int* ia, const int* ja,
                   const int* desc_a, int* info, std::size_t uplo_length);

/// The same by Cuboid, where that is quicker, else by the one beneath. The pivots are partial
/// pivoting's, as those beneath.
template <MatrixElement T>
void getrf(Getrf<T>* beneath, const int* m, const int* n, T* A, const int* ia, const int* ja,
           const int* desc_a, int* pivots, int* info);
template <MatrixElement T>
void potrf(Potrf<T>* beneath, const char* uplo, const int* n, T* A, const int* ia, const int* ja,
           const int* desc_a, int* info);

}  // namespace cuboid::detail::scalapack
