// The names of the routines that factorise by QR, and use its factors.

#include "bindings/scalapack/calls/native.hpp"
#include "bindings/scalapack/factorisations/qr.hpp"
#include "bindings/scalapack/symbols/names.hpp"

#include <complex>

namespace scalapack = cuboid::detail::scalapack;

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type, NAME a routine
#define CUBOID_GEQRF(NAME, T)                                                                     \
  CUBOID_NATIVE(NAME, scalapack::Geqrf<T>)                                                        \
  CUBOID_BOTH_NAMES(                                                                              \
      NAME,                                                                                       \
      (const int* m, const int* n, T* A, const int* ia, const int* ja, const int* desc_a, T* tau, \
       T* work, const int* lwork, int* info),                                                     \
      scalapack::geqrf<T>(native_##NAME(), m, n, A, ia, ja, desc_a, tau, work, lwork, info))

#define CUBOID_ORMQR(NAME, T)                                                                     \
  CUBOID_NATIVE(NAME, scalapack::Ormqr<T>)                                                        \
  CUBOID_BOTH_NAMES(                                                                              \
      NAME,                                                                                       \
      (const char* side, const char* trans, const int* m, const int* n, const int* k, const T* A, \
       const int* ia, const int* ja, const int* desc_a, const T* tau, T* C, const int* ic,        \
       const int* jc, const int* desc_c, T* work, const int* lwork, int* info),                   \
      scalapack::ormqr<T>(native_##NAME(), side, trans, m, n, k, A, ia, ja, desc_a, tau, C, ic,   \
                          jc, desc_c, work, lwork, info))

#define CUBOID_GELS(NAME, T)                                                                     \
  CUBOID_NATIVE(NAME, scalapack::Gels<T>)                                                        \
  CUBOID_BOTH_NAMES(NAME,                                                                        \
                    (const char* trans, const int* m, const int* n, const int* nrhs, T* A,       \
                     const int* ia, const int* ja, const int* desc_a, T* B, const int* ib,       \
                     const int* jb, const int* desc_b, T* work, const int* lwork, int* info),    \
                    scalapack::gels<T>(native_##NAME(), trans, m, n, nrhs, A, ia, ja, desc_a, B, \
                                       ib, jb, desc_b, work, lwork, info))

CUBOID_ALL_TYPES(CUBOID_GEQRF, geqrf)
CUBOID_ORMQR(psormqr_, float)
CUBOID_ORMQR(pdormqr_, double)
CUBOID_ORMQR(pcunmqr_, std::complex<float>)
CUBOID_ORMQR(pzunmqr_, std::complex<double>)

CUBOID_ALL_TYPES(CUBOID_GELS, gels)
// NOLINTEND(bugprone-macro-parentheses)
