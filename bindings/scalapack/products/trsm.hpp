#pragma once

#include <cuboid/element.hpp>

#include "bindings/scalapack/calls/descriptor.hpp"
#include "bindings/scalapack/calls/scalar.hpp"

#include <optional>

namespace cuboid::detail::scalapack {

/// PBLAS's p?trsm, as Fortran calls it.
template <MatrixElement T>
using Trsm = void(const char* side, const char* uplo, const char* trans, const char* diag,
                  const int* m, const int* n, const T* alpha, const T* A, const int* ia,
                  const int* ja, const int* desc_a, T* B, const int* ib, const int* jb,
                  const int* desc_b);

/// What a call of p?trsm or p?trmm says besides its numbers.
struct TriangularCall {
  MatrixSide side;
  Triangle triangle;
  Op op;
  Diagonal diagonal;
  int order;  ///< of the triangle
  Submatrix a, b;

  /// nullopt for letters that only the native routine can refuse.
  static std::optional<TriangularCall> read(const char* side, const char* uplo, const char* trans,
                                            const char* diag, const int* m, const int* n,
                                            const int* ia, const int* ja, const int* desc_a,
                                            const int* ib, const int* jb, const int* desc_b);
};

/// Carries the call by Cuboid if that is faster, else by the native routine.
template <MatrixElement T>
void trsm(Trsm<T>* native, const char* side, const char* uplo, const char* trans, const char* diag,
          const int* m, const int* n, const T* alpha, const T* A, const int* ia, const int* ja,
          const int* desc_a, T* B, const int* ib, const int* jb, const int* desc_b);

}  // namespace cuboid::detail::scalapack
