#pragma once

#include <cuboid/environment.hpp>
#include <cuboid/export.hpp>
#include <cuboid/layout.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace cuboid {

class Communicator;

namespace detail {
class BlasLibrary;
class DeviceGemm;
}  // namespace detail

/// What the factors of products in single precision (float, std::complex<float>) are rounded to
/// before they are multiplied. Products are added in float. Other types are not affected.
enum class FactorPrecision {
  single,    ///< they are not rounded
  tf32,      ///< 11 significant bits, on a device; the cores do not round
  bfloat16,  ///< 8 significant bits (BFloat16)
  half       ///< 11 significant bits (Float16): infinite from 65520 on, coarse below 6·10⁻⁵
};
/// "single", "tf32", "bfloat16" or "half".
CUBOID_API std::string_view to_string(FactorPrecision precision);
/// The precision of this name. Throws Error(parse), which lists the names.
CUBOID_API FactorPrecision parse_factor_precision(std::string_view text);

/// Local multiplication C ← α·op(A)·op(B) + β·C. The cores multiply through a CBLAS library that is
/// loaded at run time and runs the kernels that fit this CPU. A CUDA device multiplies through
/// cuBLAS: operands in the host's memory where that is faster (CUBOID_DEVICE), and all operands
/// that lie in a device's memory. A value; copies and threads may use it concurrently.
class CUBOID_API LocalGemm {
 public:
  /// Loads the library named by CUBOID_BLAS, or else the one chosen at configure time
  /// (CUBOID_BLAS_LIBRARY); OpenBLAS in place of BLIS on Intel's CPUs with AVX-512, where it is
  /// faster.
  /// @param threads_per_rank  threads of one multiplication, ≥ 1. With 1 no thread is started. The
  ///     libraries keep this number per process: if two LocalGemm with different numbers multiply
  ///     concurrently, either may use the other's.
  /// Throws Error(unsupported) if the library cannot be used, with its path and the remedy, and
  /// Error(invalid_argument) for threads_per_rank < 1.
  static LocalGemm open(const Environment& environment, int threads_per_rank);

  /// Opens the library on a rank of a communicator. The ranks of a node are spread over its
  /// devices, and ranks that share a device share its memory. Not collective. Throws as above, and
  /// Error(unsupported) if CUBOID_DEVICE asks for devices that the node lacks.
  static LocalGemm open(const Communicator& communicator, int threads_per_rank);

  /// The same with factors in another precision. A device multiplies them at a multiple of float's
  /// rate; the cores round copies of them and multiply as ever, so that both give similar results.
  LocalGemm with_factors(FactorPrecision precision) const;
  FactorPrecision factors() const { return factors_; }

  /// C ← α·op(A)·op(B) + β·C, column-major. op(A) is m×k, op(B) k×n, C m×n; all sizes ≥ 0. A is
  /// stored as m×k or, if transposed, as k×m; B likewise. β = 0 does not read C; α = 0 or k = 0
  /// does not read A and B.
  /// @param lda  leading dimension of A: elements from one column to the next, at least the stored
  ///             rows and 1; `ldb` and `ldc` likewise.
  /// T is float, double or std::complex of them. Each matrix may lie in the host's memory, pinned
  /// or not, in a device's memory, or in managed memory. Returns when C is complete. Work that the
  /// program has given to the device's default stream is complete before the multiplication starts;
  /// for work in other streams the caller must wait.
  /// Throws Error(invalid_argument) if a size is negative, if a leading dimension is too small or
  /// exceeds the library's integers (2³¹ − 1 for most), or if a matrix reaches beyond its
  /// allocation on a device; Error(io) if a device fails; Error(out_of_memory) if its memory cannot
  /// hold what the multiplication needs.
  template <class T>
  void operator()(Op a, Op b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T* A,
                  std::int64_t lda, const T* B, std::int64_t ldb, T beta, T* C,
                  std::int64_t ldc) const;

  /// Multiplies on the cores alone, for operands in the host's memory.
  template <class T>
  void on_cores(Op a, Op b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T* A,
                std::int64_t lda, const T* B, std::int64_t ldb, T beta, T* C,
                std::int64_t ldc) const;

  /// Name, version and file of the library, e.g. "BLIS 0.9.0 (/usr/lib/libblis.so.4)".
  std::string library() const;
  /// The library's name of the kernels in use, e.g. "skx" or "SkylakeX"; "unknown" if it has none.
  std::string kernels() const;
  /// One line that says how the user's environment variables keep the library from this CPU's best
  /// kernels; empty if they do not. One rank should log it as a warning.
  std::string advice() const;
  /// The device that multiplies, e.g. "device 0 (NVIDIA H200)", or the reason why none does.
  std::string device() const;
  /// For Cuboid's own use: the device's multiplication; nullptr if there is none.
  detail::DeviceGemm* device_gemm() const { return device_; }
  /// The number of threads that open() was given.
  int threads() const { return threads_; }
  /// The largest leading dimension that the library accepts.
  std::int64_t largest_leading_dimension() const;

 private:
  static LocalGemm open(const Environment& environment, int threads_per_rank, int rank_on_node,
                        int ranks_on_node);
  LocalGemm(const detail::BlasLibrary& library, int threads, detail::DeviceGemm* device,
            FactorPrecision factors = FactorPrecision::single)
      : library_(&library), device_(device), threads_(threads), factors_(factors) {}

  const detail::BlasLibrary* library_;  ///< lives as long as the process
  detail::DeviceGemm* device_;  ///< lives as long as the process; nullptr: no device is used
  int threads_;
  FactorPrecision factors_;
};

}  // namespace cuboid
