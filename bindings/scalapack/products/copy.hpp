#pragma once

#include <cuboid/element.hpp>

namespace cuboid::detail::scalapack {

/// ScaLAPACK's Cp?gemr2d: copies a submatrix to another one; distributions and contexts may differ.
template <class T>
using Gemr2d = void(int m, int n, const T* A, int ia, int ja, const int* desc_a, T* B, int ib,
                    int jb, const int* desc_b, int context);

/// Carries the call by Cuboid if that is faster, else by the native routine.
template <MatrixElement T>
void gemr2d(Gemr2d<T>* native, int m, int n, const T* A, int ia, int ja, const int* desc_a, T* B,
            int ib, int jb, const int* desc_b, int context);

}  // namespace cuboid::detail::scalapack
