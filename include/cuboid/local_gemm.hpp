#pragma once

#include <cuboid/environment.hpp>
#include <cuboid/export.hpp>
#include <cuboid/op.hpp>

#include <cstdint>
#include <string>

namespace cuboid {

namespace detail {
class BlasLibrary;
}

/// Multiplications within one rank: C ← α·op(A)·op(B) + β·C through a CBLAS library, loaded at
/// run time, running the kernels that fit this very CPU. A value; copies and any number of threads
/// may use it at once.
class CUBOID_API LocalGemm {
 public:
  /// The library that CUBOID_BLAS names, else the one chosen at configure time
  /// (CUBOID_BLAS_LIBRARY).
  /// @param threads_per_rank  threads of one multiplication, ≥ 1. With 1 no thread is started. The
  ///     libraries keep this number for the whole process: where two LocalGemm with different
  ///     numbers multiply at the same moment, either may get the other's.
  /// Throws Error(unsupported) where the library cannot be used, with its path and the remedy, and
  /// Error(invalid_argument) for threads_per_rank < 1.
  static LocalGemm open(const Environment& environment, int threads_per_rank);

  /// C ← α·op(A)·op(B) + β·C, column-major. op(A) is m×k, op(B) k×n, C m×n; all sizes ≥ 0, so A is
  /// stored as m×k or, transposed, as k×m; B likewise. C is not read where β = 0, nor A and B where
  /// α = 0 or k = 0.
  /// @param lda, ldb, ldc  elements from one column to the next, at least the stored rows and 1.
  /// T is float, double or std::complex of them. Throws Error(invalid_argument) where a size is
  /// negative, a leading dimension too small, or one larger than the library's integers hold
  /// (2³¹ − 1 for most).
  template <class T>
  void operator()(Op a, Op b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T* A,
                  std::int64_t lda, const T* B, std::int64_t ldb, T beta, T* C,
                  std::int64_t ldc) const;

  /// Name, version and file of the library, e.g. "BLIS 0.9.0 (/usr/lib/libblis.so.4)".
  std::string library() const;
  /// The kernels that the library really runs, in its own words, e.g. "skx", "SkylakeX"; "unknown"
  /// where it cannot say.
  std::string kernels() const;
  /// One line saying how environment variables that the user has set keep the library from this
  /// CPU's best kernels; empty where they do not. Worth a warning on one rank.
  std::string advice() const;
  int threads() const { return threads_; }
  /// The largest leading dimension that the library can be given.
  std::int64_t largest_leading_dimension() const;

 private:
  LocalGemm(const detail::BlasLibrary& library, int threads)
      : library_(&library), threads_(threads) {}

  const detail::BlasLibrary* library_;  ///< lives as long as the process
  int threads_;
};

}  // namespace cuboid
