#pragma once

#include <cuboid/layout.hpp>

#include "base/shared_library.hpp"

#include <atomic>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// The bytes that a BLAS library maps to pack operands. BLIS ends the program if it cannot get
/// them.
inline constexpr std::uint64_t bytes_mapped_by_blas = 64 << 20;

/// The remedy in errors about a BLAS library that cannot be used.
inline constexpr std::string_view blas_remedy =
    "set CUBOID_BLAS to a CBLAS library, e.g. libblis.so.4 of Debian's package libblis4-pthread";

/// Any CBLAS library, loaded once per process, and what Cuboid must know of it beyond the CBLAS
/// interface: the kernels that it runs, the width of its integers, and how its number of threads is
/// set. Cuboid knows this of BLIS, OpenBLAS and MKL. Any other library is called with 32-bit
/// integers, and its own environment variables set its number of threads.
class BlasLibrary {
 public:
  /// The library at `path`. It is loaded at the first call for that path, with the kernels that fit
  /// this CPU unless the user has set BLIS_ARCH_TYPE or OPENBLAS_CORETYPE. "none" stands for no
  /// library, which multiplies nothing. Several threads may call it at the same time.
  /// @param threads  the threads of one multiplication; more can be set later. With 1 the library
  ///                 starts no thread when it is loaded.
  /// @param remedy   for errors: the variable that names the library, and a value for it.
  /// Throws Error(unsupported), which names the path and the remedy.
  static const BlasLibrary& at(const std::string& path, int threads,
                               std::string_view remedy = blas_remedy);

  /// Name, version and file, e.g. "BLIS 0.9.0 (/usr/lib/libblis.so.4)".
  const std::string& name() const { return name_; }
  /// The library's name of the kernels in use, e.g. "skx"; "unknown" if the library does not tell.
  const std::string& kernels() const { return kernels_; }
  /// How the user's own choice of kernels could be better; empty if it could not.
  const std::string& advice() const { return advice_; }
  /// The largest size and leading dimension that the library's integers can hold.
  std::int64_t largest_integer() const { return largest_integer_; }

  /// Sets the number of threads of all multiplications of the process that start from now on.
  void use_threads(int threads) const;

  /// cblas_?gemm, column-major. Sizes and leading dimensions must be at most largest_integer().
  template <class T>
  void gemm(Op a, Op b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T* A,
            std::int64_t lda, const T* B, std::int64_t ldb, T beta, T* C, std::int64_t ldc) const;

  BlasLibrary(const BlasLibrary&) = delete;
  BlasLibrary& operator=(const BlasLibrary&) = delete;

 private:
  BlasLibrary();  ///< no library
  BlasLibrary(const std::string& path, int threads, std::string_view remedy);
  void recognise_blis();
  void recognise_openblas();
  void recognise_mkl();
  void choose_mkl_layers();

  std::optional<SharedLibrary> file_;
  std::string name_;
  std::string kernels_ = "unknown";
  std::string advice_;
  std::int64_t largest_integer_;
  void (*set_threads_wide_)(std::int64_t) = nullptr;  ///< BLIS's function that sets the threads
  void (*set_threads_)(int) = nullptr;                ///< the function of other libraries
  mutable std::atomic<int> threads_ = 0;
  struct Functions {  ///< null if there is no library
    void (*s)() = nullptr;
    void (*d)() = nullptr;
    void (*c)() = nullptr;
    void (*z)() = nullptr;
  } gemm_;
};

}  // namespace cuboid::detail
