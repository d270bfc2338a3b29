#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "base/shared_library.hpp"
#include "mm/local/blas_library.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace cuboid::detail {

/// Any LAPACK library with a Fortran interface, loaded once per process. Like a BlasLibrary it runs
/// the kernels that fit this CPU, knows the width of the library's integers, and sets its number of
/// threads.
class LapackLibrary {
 public:
  /// The library at `path`, loaded at the first call for that path. Several threads may call it at
  /// the same time. Throws Error(unsupported), which names the path and the remedy.
  /// @param threads  the threads of one call; with 1 the library starts no thread when it is
  ///                 loaded.
  static const LapackLibrary& at(const std::string& path, int threads);

  /// True if the library at `path` has LAPACK's functions. Loads it as a BLAS library.
  static bool is_in(const std::string& path, int threads);

  /// The same library as a BLAS library: its name, kernels and threads.
  const BlasLibrary& blas() const { return blas_; }

  /// ?getrf. `pivots` are counted from 1, as in LAPACK. Returns info.
  template <MatrixElement T>
  std::int64_t getrf(std::int64_t m, std::int64_t n, T* A, std::int64_t lda,
                     std::int64_t* pivots) const;
  /// ?potrf. Returns info.
  template <MatrixElement T>
  std::int64_t potrf(Triangle triangle, std::int64_t n, T* A, std::int64_t lda) const;
  /// ?trsm.
  template <MatrixElement T>
  void trsm(MatrixSide side, Triangle triangle, Op op, Diagonal diagonal, std::int64_t m,
            std::int64_t n, T alpha, const T* A, std::int64_t lda, T* B, std::int64_t ldb) const;

  /// ?geqrt3: recursive Householder QR for m >= n. `factor` is T, n×n; its lower triangle is not
  /// written.
  template <MatrixElement T>
  void geqrt3(std::int64_t m, std::int64_t n, T* A, std::int64_t lda, T* factor,
              std::int64_t ldt) const;

  /// The state of ?lacn2 between two calls.
  struct NormState {
    std::int64_t kase = 0;
    std::array<std::int64_t, 3> isave{};
  };
  /// ?lacn2: one step of the estimate of a matrix's 1-norm. `state.kase` names the product that the
  /// caller must compute next; 0: `estimate` is final. Only real types use `signs`.
  template <MatrixElement T>
  void lacn2(std::int64_t n, T* v, T* x, std::int64_t* signs, RealOf<T>& estimate,
             NormState& state) const;

  LapackLibrary(const LapackLibrary&) = delete;
  LapackLibrary& operator=(const LapackLibrary&) = delete;

 private:
  LapackLibrary(const std::string& path, int threads);

  /// The functions for s, d, c and z.
  using Functions = std::array<void (*)(), 4>;
  Functions functions(const char* name) const;
  bool has_wide_integers() const;

  const BlasLibrary& blas_;
  SharedLibrary file_;
  Functions getrf_, potrf_, trsm_, geqrt3_, lacn2_;
};

}  // namespace cuboid::detail
