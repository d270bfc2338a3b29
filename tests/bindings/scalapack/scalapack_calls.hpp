#pragma once

// ScaLAPACK as a program of C++ calls it, for tests of the drop-in: the routine by its name, which
// may be Cuboid's, and the one of ScaLAPACK's own library.

#include <complex>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <dlfcn.h>

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridmap(int* context, const int* ranks, int leading, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
void Cblacs_exit(int goes_on);
int numroc_(const int* n, const int* block, const int* process, const int* first,
            const int* processes);
}

template <class T>
struct Routines {
  static constexpr const char* letter = "s";
};
template <>
struct Routines<double> {
  static constexpr const char* letter = "d";
};
template <>
struct Routines<std::complex<float>> {
  static constexpr const char* letter = "c";
};
template <>
struct Routines<std::complex<double>> {
  static constexpr const char* letter = "z";
};

template <class T>
using Gemm = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*,
                  const int*, const int*, const int*, const T*, const int*, const int*, const int*,
                  const T*, T*, const int*, const int*, const int*);
template <class T>
using Tran = void(const int*, const int*, const T*, const T*, const int*, const int*, const int*,
                  const T*, T*, const int*, const int*, const int*);
template <class T>
using Geadd = void(const char*, const int*, const int*, const T*, const T*, const int*, const int*,
                   const int*, const T*, T*, const int*, const int*, const int*);
template <class T>
using Gemr2d = void(const int*, const int*, const T*, const int*, const int*, const int*, T*,
                    const int*, const int*, const int*, const int*);

template <class T>
using Symm = void(const char*, const char*, const int*, const int*, const T*, const T*, const int*,
                  const int*, const int*, const T*, const int*, const int*, const int*, const T*,
                  T*, const int*, const int*, const int*);
template <class T, class Scalar>
using Syrk = void(const char*, const char*, const int*, const int*, const Scalar*, const T*,
                  const int*, const int*, const int*, const Scalar*, T*, const int*, const int*,
                  const int*);
template <class T, class Scalar>
using Syr2k = void(const char*, const char*, const int*, const int*, const T*, const T*, const int*,
                   const int*, const int*, const T*, const int*, const int*, const int*,
                   const Scalar*, T*, const int*, const int*, const int*);
template <class T>
using Tradd = void(const char*, const char*, const int*, const int*, const T*, const T*, const int*,
                   const int*, const int*, const T*, T*, const int*, const int*, const int*);
/// Also p?trmm.
template <class T>
using Trsm = void(const char*, const char*, const char*, const char*, const int*, const int*,
                  const T*, const T*, const int*, const int*, const int*, T*, const int*,
                  const int*, const int*);
template <class T>
using Getrf = void(const int*, const int*, T*, const int*, const int*, const int*, int*, int*);
template <class T>
using Trtri = void(const char*, const char*, const int*, T*, const int*, const int*, const int*,
                   int*, std::size_t, std::size_t);
/// Also p?potri.
template <class T>
using Potrf = void(const char*, const int*, T*, const int*, const int*, const int*, int*,
                   std::size_t);
template <class T>
using Getri = void(const int*, T*, const int*, const int*, const int*, const int*, T*, const int*,
                   int*, const int*, int*);
template <class T>
using Geqrf = void(const int*, const int*, T*, const int*, const int*, const int*, T*, T*,
                   const int*, int*);
/// Also p?unmqr.
template <class T>
using Ormqr = void(const char*, const char*, const int*, const int*, const int*, const T*,
                   const int*, const int*, const int*, const T*, T*, const int*, const int*,
                   const int*, T*, const int*, int*, std::size_t, std::size_t);
template <class T>
using Gels = void(const char*, const int*, const int*, const int*, T*, const int*, const int*,
                  const int*, T*, const int*, const int*, const int*, T*, const int*, int*,
                  std::size_t);

enum class Side { program, native };

/// A routine: as the program finds it, or as ScaLAPACK's library has it.
template <class Function>
Function* routine(Side side, const std::string& name) {
  static void* const library = dlopen(SCALAPACK_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
  void* const found = dlsym(side == Side::program ? RTLD_DEFAULT : library, name.c_str());
  if (library == nullptr || found == nullptr) {
    std::fprintf(stderr, "%s is not in %s\n", name.c_str(), SCALAPACK_LIBRARY);
    std::exit(100);
  }
  return reinterpret_cast<Function*>(found);
}

template <class Function, class T>
Function* routine(Side side, const char* name) {
  return routine<Function>(side, std::string("p") + Routines<T>::letter + name + "_");
}
