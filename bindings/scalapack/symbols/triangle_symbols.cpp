// The names of the routines that work on a triangle of a matrix.

#include "bindings/scalapack/calls/native.hpp"
#include "bindings/scalapack/products/rank_update.hpp"
#include "bindings/scalapack/products/symm.hpp"
#include "bindings/scalapack/products/trmm.hpp"
#include "bindings/scalapack/products/trsm.hpp"
#include "bindings/scalapack/symbols/names.hpp"

#include <complex>

namespace scalapack = cuboid::detail::scalapack;

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type, NAME a routine
#define CUBOID_SYMM(NAME, T, MIRROR)                                                               \
  CUBOID_NATIVE(NAME, scalapack::Symm<T>)                                                          \
  CUBOID_BOTH_NAMES(                                                                               \
      NAME,                                                                                        \
      (const char* side, const char* uplo, const int* m, const int* n, const T* alpha, const T* A, \
       const int* ia, const int* ja, const int* desc_a, const T* B, const int* ib, const int* jb,  \
       const int* desc_b, const T* beta, T* C, const int* ic, const int* jc, const int* desc_c),   \
      scalapack::symm<T>(native_##NAME(), cuboid::Op::MIRROR, side, uplo, m, n, alpha, A, ia, ja,  \
                         desc_a, B, ib, jb, desc_b, beta, C, ic, jc, desc_c))

#define CUBOID_SYRK(NAME, T, SCALAR, MIRROR)                                                     \
  CUBOID_NATIVE(NAME, scalapack::Syrk<T, SCALAR>)                                                \
  CUBOID_BOTH_NAMES(                                                                             \
      NAME,                                                                                      \
      (const char* uplo, const char* trans, const int* n, const int* k, const SCALAR* alpha,     \
       const T* A, const int* ia, const int* ja, const int* desc_a, const SCALAR* beta, T* C,    \
       const int* ic, const int* jc, const int* desc_c),                                         \
      (scalapack::syrk<T, SCALAR>(native_##NAME(), cuboid::Op::MIRROR, uplo, trans, n, k, alpha, \
                                  A, ia, ja, desc_a, beta, C, ic, jc, desc_c)))

#define CUBOID_SYR2K(NAME, T, SCALAR, MIRROR)                                                      \
  CUBOID_NATIVE(NAME, scalapack::Syr2k<T, SCALAR>)                                                 \
  CUBOID_BOTH_NAMES(NAME,                                                                          \
                    (const char* uplo, const char* trans, const int* n, const int* k,              \
                     const T* alpha, const T* A, const int* ia, const int* ja, const int* desc_a,  \
                     const T* B, const int* ib, const int* jb, const int* desc_b,                  \
                     const SCALAR* beta, T* C, const int* ic, const int* jc, const int* desc_c),   \
                    (scalapack::syr2k<T, SCALAR>(native_##NAME(), cuboid::Op::MIRROR, uplo, trans, \
                                                 n, k, alpha, A, ia, ja, desc_a, B, ib, jb,        \
                                                 desc_b, beta, C, ic, jc, desc_c)))

/// p?trsm and p?trmm.
#define CUBOID_TRIANGULAR(NAME, T, FUNCTION)                                                      \
  CUBOID_NATIVE(NAME, scalapack::Trsm<T>)                                                         \
  CUBOID_BOTH_NAMES(                                                                              \
      NAME,                                                                                       \
      (const char* side, const char* uplo, const char* trans, const char* diag, const int* m,     \
       const int* n, const T* alpha, const T* A, const int* ia, const int* ja, const int* desc_a, \
       T* B, const int* ib, const int* jb, const int* desc_b),                                    \
      scalapack::FUNCTION<T>(native_##NAME(), side, uplo, trans, diag, m, n, alpha, A, ia, ja,    \
                             desc_a, B, ib, jb, desc_b))

#define CUBOID_TRADD(NAME, T)                                                                     \
  CUBOID_NATIVE(NAME, scalapack::Tradd<T>)                                                        \
  CUBOID_BOTH_NAMES(NAME,                                                                         \
                    (const char* uplo, const char* trans, const int* m, const int* n,             \
                     const T* alpha, const T* A, const int* ia, const int* ja, const int* desc_a, \
                     const T* beta, T* C, const int* ic, const int* jc, const int* desc_c),       \
                    scalapack::tradd<T>(native_##NAME(), uplo, trans, m, n, alpha, A, ia, ja,     \
                                        desc_a, beta, C, ic, jc, desc_c))

CUBOID_ALL_TYPES(CUBOID_SYMM, symm, transpose)
CUBOID_SYMM(pchemm_, std::complex<float>, conjugate_transpose)
CUBOID_SYMM(pzhemm_, std::complex<double>, conjugate_transpose)

CUBOID_SYRK(pssyrk_, float, float, transpose)
CUBOID_SYRK(pdsyrk_, double, double, transpose)
CUBOID_SYRK(pcsyrk_, std::complex<float>, std::complex<float>, transpose)
CUBOID_SYRK(pzsyrk_, std::complex<double>, std::complex<double>, transpose)
CUBOID_SYRK(pcherk_, std::complex<float>, float, conjugate_transpose)
CUBOID_SYRK(pzherk_, std::complex<double>, double, conjugate_transpose)

CUBOID_SYR2K(pssyr2k_, float, float, transpose)
CUBOID_SYR2K(pdsyr2k_, double, double, transpose)
CUBOID_SYR2K(pcsyr2k_, std::complex<float>, std::complex<float>, transpose)
CUBOID_SYR2K(pzsyr2k_, std::complex<double>, std::complex<double>, transpose)
CUBOID_SYR2K(pcher2k_, std::complex<float>, float, conjugate_transpose)
CUBOID_SYR2K(pzher2k_, std::complex<double>, double, conjugate_transpose)

CUBOID_ALL_TYPES(CUBOID_TRIANGULAR, trsm, trsm)
CUBOID_ALL_TYPES(CUBOID_TRIANGULAR, trmm, trmm)

CUBOID_ALL_TYPES(CUBOID_TRADD, tradd)
// NOLINTEND(bugprone-macro-parentheses)
