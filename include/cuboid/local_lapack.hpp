#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/environment.hpp>
#include <cuboid/export.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>

namespace cuboid {

/// The side on which a triangular matrix stands: left or right of the matrix that it is applied to.
enum class MatrixSide { left, right };

/// A triangle of a matrix; the other triangle is neither read nor written.
enum class Triangle { lower, upper };

/// The diagonal of a triangular matrix: stored, or all ones and not read.
enum class Diagonal { stored, unit };

namespace detail {
class LapackLibrary;
}

/// Factorisations and triangular solves within one rank, through a LAPACK loaded at run time,
/// running the kernels that fit this CPU. A value; copies and threads may use it concurrently.
/// Empty matrices are left as they are.
class CUBOID_API LocalLapack {
 public:
  /// Opens the library that CUBOID_LAPACK names, else the library that CUBOID_BLAS names if it has
  /// LAPACK's functions, else the library chosen at configure time (CUBOID_LAPACK_LIBRARY).
  /// @param threads_per_rank  as for LocalGemm::open().
  /// Throws Error(unsupported) if the library cannot be used, with its path and the remedy, and
  /// Error(invalid_argument) for threads_per_rank < 1.
  static LocalLapack open(const Environment& environment, int threads_per_rank);

  /// P·A = L·U for an m×n matrix A, with partial pivoting, in place (?getrf).
  /// @param pivots  written: min(m, n) numbers, counted from 0; row k was swapped with row
  ///                pivots[k].
  /// Returns 0, or k if U(k - 1, k - 1), counted from 0, is the first pivot that is exactly 0.
  template <MatrixElement T>
  std::int64_t getrf(LocalView<T> A, std::span<std::int64_t> pivots) const;

  /// A = L·Lᴴ of the lower triangle, or A = Uᴴ·U of the upper, in place (?potrf), for a square
  /// Hermitian A. Returns 0, or k if the leading minor of order k is not positive definite.
  template <MatrixElement T>
  std::int64_t potrf(Triangle triangle, LocalView<T> A) const;

  /// B ← α·op(A)⁻¹·B, or α·B·op(A)⁻¹ (MatrixSide::right), for a triangular A (?trsm). The order of
  /// A is B's number of rows (left) or columns (right). A zero on A's diagonal is divided by, which
  /// gives infinities or NaN.
  template <MatrixElement T>
  void trsm(MatrixSide side, Triangle triangle, Op op, Diagonal diagonal,
            std::type_identity_t<T> alpha, std::type_identity_t<LocalView<const T>> A,
            LocalView<T> B) const;

  /// A = Q·R in place for m >= n, Q = I − V·T·Vᴴ (?geqrt3). R is stored on and above the diagonal.
  /// V, whose unit diagonal is not stored, is below it. The diagonal of T has LAPACK's τ.
  /// @param factor  written: T, n×n, upper triangular, with zeros below.
  /// Throws Error(invalid_argument) for other shapes.
  template <MatrixElement T>
  void geqrt(LocalView<T> A, LocalView<T> factor) const;

  /// A lower bound of ‖M‖₁ that is nearly always within a factor of 3 (Higham 1988, ?lacn2), for an
  /// n×n matrix of which only products with vectors are known.
  /// @param apply  x ← op(M)·x for Op::none and Op::conjugate_transpose; called about five times.
  template <MatrixElement T>
  double one_norm(std::int64_t n, const std::function<void(Op, std::span<T>)>& apply) const;

  /// Name, version and file of the library, e.g. "OpenBLAS 0.3.21 (/usr/lib/libopenblas.so.0)".
  std::string library() const;
  /// The kernels that the library runs; "unknown" if the library does not tell.
  std::string kernels() const;
  /// The number of threads that open() was given.
  int threads() const { return threads_; }

 private:
  LocalLapack(const detail::LapackLibrary& library, int threads)
      : library_(&library), threads_(threads) {}
  const detail::LapackLibrary& ready(std::int64_t largest_size) const;

  const detail::LapackLibrary* library_;  ///< lives as long as the process
  int threads_;
};

/// The libraries that a rank computes with.
struct LocalKernels {
  LocalGemm gemm;
  LocalLapack lapack;

  /// Opens both libraries. Throws what LocalGemm::open() and LocalLapack::open() throw.
  static LocalKernels open(const Environment& environment, int threads_per_rank) {
    return {LocalGemm::open(environment, threads_per_rank),
            LocalLapack::open(environment, threads_per_rank)};
  }
  /// Opens both on a rank of a communicator, whose ranks share their node's devices.
  static LocalKernels open(const Communicator& communicator, int threads_per_rank) {
    return {LocalGemm::open(communicator, threads_per_rank),
            LocalLapack::open(communicator.environment(), threads_per_rank)};
  }
};

}  // namespace cuboid
