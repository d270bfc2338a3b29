// The names of ScaLAPACK's routines that this library takes over, and the same names with the
// prefix cuboid_ for programs that choose call by call.

#include "bindings/scalapack/calls/native.hpp"
#include "bindings/scalapack/factorisations/factorise.hpp"
#include "bindings/scalapack/factorisations/invert.hpp"
#include "bindings/scalapack/products/add.hpp"
#include "bindings/scalapack/products/copy.hpp"
#include "bindings/scalapack/products/gemm.hpp"
#include "bindings/scalapack/symbols/names.hpp"

#include <complex>

namespace scalapack = cuboid::detail::scalapack;

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type, NAME a routine
#define CUBOID_GEMM(NAME, T)                                                                      \
  CUBOID_NATIVE(NAME, scalapack::Gemm<T>)                                                         \
  CUBOID_BOTH_NAMES(                                                                              \
      NAME,                                                                                       \
      (const char* trans_a, const char* trans_b, const int* m, const int* n, const int* k,        \
       const T* alpha, const T* A, const int* ia, const int* ja, const int* desc_a, const T* B,   \
       const int* ib, const int* jb, const int* desc_b, const T* beta, T* C, const int* ic,       \
       const int* jc, const int* desc_c),                                                         \
      scalapack::gemm<T>(native_##NAME(), trans_a, trans_b, m, n, k, alpha, A, ia, ja, desc_a, B, \
                         ib, jb, desc_b, beta, C, ic, jc, desc_c))

#define CUBOID_TRAN(NAME, T, OP)                                                                 \
  CUBOID_NATIVE(NAME, scalapack::Tran<T>)                                                        \
  CUBOID_BOTH_NAMES(                                                                             \
      NAME,                                                                                      \
      (const int* m, const int* n, const T* alpha, const T* A, const int* ia, const int* ja,     \
       const int* desc_a, const T* beta, T* C, const int* ic, const int* jc, const int* desc_c), \
      scalapack::tran<T>(native_##NAME(), OP, m, n, alpha, A, ia, ja, desc_a, beta, C, ic, jc,   \
                         desc_c))

#define CUBOID_GEADD(NAME, T)                                                                   \
  CUBOID_NATIVE(NAME, scalapack::Geadd<T>)                                                      \
  CUBOID_BOTH_NAMES(NAME,                                                                       \
                    (const char* trans, const int* m, const int* n, const T* alpha, const T* A, \
                     const int* ia, const int* ja, const int* desc_a, const T* beta, T* C,      \
                     const int* ic, const int* jc, const int* desc_c),                          \
                    scalapack::geadd<T>(native_##NAME(), trans, m, n, alpha, A, ia, ja, desc_a, \
                                        beta, C, ic, jc, desc_c))

/// NAME is the Fortran routine, which calls the C function C_NAME.
#define CUBOID_GEMR2D(NAME, C_NAME, T)                                                          \
  CUBOID_NATIVE(C_NAME, scalapack::Gemr2d<T>)                                                   \
  CUBOID_BOTH_NAMES(C_NAME,                                                                     \
                    (int m, int n, const T* A, int ia, int ja, const int* desc_a, T* B, int ib, \
                     int jb, const int* desc_b, int context),                                   \
                    scalapack::gemr2d<T>(native_##C_NAME(), m, n, A, ia, ja, desc_a, B, ib, jb, \
                                         desc_b, context))                                      \
  CUBOID_BOTH_NAMES(                                                                            \
      NAME,                                                                                     \
      (const int* m, const int* n, const T* A, const int* ia, const int* ja, const int* desc_a, \
       T* B, const int* ib, const int* jb, const int* desc_b, const int* context),              \
      scalapack::gemr2d<T>(native_##C_NAME(), *m, *n, A, *ia, *ja, desc_a, B, *ib, *jb, desc_b, \
                           *context))

#define CUBOID_GETRF(NAME, T)                                                        \
  CUBOID_NATIVE(NAME, scalapack::Getrf<T>)                                           \
  CUBOID_BOTH_NAMES(NAME,                                                            \
                    (const int* m, const int* n, T* A, const int* ia, const int* ja, \
                     const int* desc_a, int* pivots, int* info),                     \
                    scalapack::getrf<T>(native_##NAME(), m, n, A, ia, ja, desc_a, pivots, info))

#define CUBOID_POTRF(NAME, T)                                                            \
  CUBOID_NATIVE(NAME, scalapack::Potrf<T>)                                               \
  CUBOID_BOTH_NAMES(NAME,                                                                \
                    (const char* uplo, const int* n, T* A, const int* ia, const int* ja, \
                     const int* desc_a, int* info),                                      \
                    scalapack::potrf<T>(native_##NAME(), uplo, n, A, ia, ja, desc_a, info))

#define CUBOID_TRTRI(NAME, T)                                                               \
  CUBOID_NATIVE(NAME, scalapack::Trtri<T>)                                                  \
  CUBOID_BOTH_NAMES(NAME,                                                                   \
                    (const char* uplo, const char* diag, const int* n, T* A, const int* ia, \
                     const int* ja, const int* desc_a, int* info),                          \
                    scalapack::trtri<T>(native_##NAME(), uplo, diag, n, A, ia, ja, desc_a, info))

#define CUBOID_POTRI(NAME, T)                                                            \
  CUBOID_NATIVE(NAME, scalapack::Potri<T>)                                               \
  CUBOID_BOTH_NAMES(NAME,                                                                \
                    (const char* uplo, const int* n, T* A, const int* ia, const int* ja, \
                     const int* desc_a, int* info),                                      \
                    scalapack::potri<T>(native_##NAME(), uplo, n, A, ia, ja, desc_a, info))

#define CUBOID_GETRI(NAME, T)                                                                  \
  CUBOID_NATIVE(NAME, scalapack::Getri<T>)                                                     \
  CUBOID_BOTH_NAMES(                                                                           \
      NAME,                                                                                    \
      (const int* n, T* A, const int* ia, const int* ja, const int* desc_a, const int* pivots, \
       T* work, const int* work_length, int* integers, const int* integers_length, int* info), \
      scalapack::getri<T>(native_##NAME(), n, A, ia, ja, desc_a, pivots, work, work_length,    \
                          integers, integers_length, info))

CUBOID_ALL_TYPES(CUBOID_GEMM, gemm)
CUBOID_TRAN(pstran_, float, cuboid::Op::transpose)
CUBOID_TRAN(pdtran_, double, cuboid::Op::transpose)
CUBOID_TRAN(pctranu_, std::complex<float>, cuboid::Op::transpose)
CUBOID_TRAN(pztranu_, std::complex<double>, cuboid::Op::transpose)
CUBOID_TRAN(pctranc_, std::complex<float>, cuboid::Op::conjugate_transpose)
CUBOID_TRAN(pztranc_, std::complex<double>, cuboid::Op::conjugate_transpose)

CUBOID_ALL_TYPES(CUBOID_GEADD, geadd)
CUBOID_GEMR2D(psgemr2d_, Cpsgemr2d, float)
CUBOID_GEMR2D(pdgemr2d_, Cpdgemr2d, double)
CUBOID_GEMR2D(pcgemr2d_, Cpcgemr2d, std::complex<float>)
CUBOID_GEMR2D(pzgemr2d_, Cpzgemr2d, std::complex<double>)

CUBOID_ALL_TYPES(CUBOID_GETRF, getrf)
CUBOID_ALL_TYPES(CUBOID_POTRF, potrf)
CUBOID_ALL_TYPES(CUBOID_TRTRI, trtri)
CUBOID_ALL_TYPES(CUBOID_POTRI, potri)
CUBOID_ALL_TYPES(CUBOID_GETRI, getri)
// NOLINTEND(bugprone-macro-parentheses)
