#pragma once

#include <cuboid/element.hpp>

namespace cuboid::detail::scalapack {

/// ScaLAPACK's Cp?gemr2d: copies a submatrix to one of any other distribution and context.
template <class T>
using Gemr2d = void(int m, int n, const T* A, int ia, int ja, const int* desc_a, T* B, int ib,
                    int jb, const int* desc_b, int context);

/// The same by Cuboid, where that is quicker, else by the one beneath.
template <MatrixElement T>
void gemr2d(Gemr2d<T>* beneath, int m, int n, const T* A, int ia, int ja, const int* desc_a, T* B,
            int ib, int jb, const int* desc_b, int context);

}  // namespace cuboid::detail::scalapack
