#pragma once

#include "devices/cuda/cuda_device.hpp"

#include <complex>
#include <cstdint>
#include <optional>
#include <string>

namespace cuboid::detail {

/// cuBLAS's numbers for the ways in which a matrix is applied.
enum class CublasOp : int { none = 0, transpose = 1, conjugate_transpose = 2 };

/// cuBLAS's numbers for what the factors of products in single precision are rounded to, before
/// products are added in float (cublasComputeType_t).
enum class CublasFactors : int { as_they_are = 68, half = 74, bfloat16 = 75, tf32 = 77 };

using CublasHandle = struct CublasState*;

/// cuBLAS, loaded at run time and once per process.
class CublasLibrary {
 public:
  /// The library at `path`. Without a path, it is the library that the process has loaded already,
  /// else the newest installed one that the driver can serve. Throws Error(unsupported) with the
  /// remedy.
  static const CublasLibrary& open(const std::optional<std::string>& path,
                                   const CudaDriver& driver);

  const std::string& path() const { return file_.path(); }

  /// A handle whose work is queued in `stream`, on the device that is current.
  CublasHandle create(const CudaDevice& device, const CudaStream& stream) const;
  void destroy(CublasHandle handle) const { destroy_(handle); }

  /// C ← α·op(A)·op(B) + β·C in device memory, in the handle's stream. All sizes must be > 0.
  /// Throws Error(unsupported) for leading dimensions of 2³¹ or more if cuBLAS is older than
  /// version 12.
  template <class T>
  void gemm(const CudaDevice& device, CublasHandle handle, CublasFactors factors, CublasOp a,
            CublasOp b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T* A,
            std::int64_t lda, const T* B, std::int64_t ldb, T beta, T* C, std::int64_t ldc) const;

  /// C ← β·C for β ≠ 0, in device memory, in the handle's stream. Throws as gemm().
  template <class T>
  void scale(const CudaDevice& device, CublasHandle handle, std::int64_t m, std::int64_t n, T beta,
             T* C, std::int64_t ldc) const;

  /// C ← A in device memory, in the handle's stream. A and C do not overlap. Throws as gemm().
  template <class T>
  void copy(const CudaDevice& device, CublasHandle handle, std::int64_t m, std::int64_t n,
            const T* A, std::int64_t lda, T* C, std::int64_t ldc) const;

  /// C ← α·op(A) + β·C in device memory, in the handle's stream; β = 0 does not read C. C is m×n.
  /// A and C do not overlap. Throws as gemm().
  template <class T>
  void add(const CudaDevice& device, CublasHandle handle, CublasOp a, std::int64_t m,
           std::int64_t n, T alpha, const T* A, std::int64_t lda, T beta, T* C,
           std::int64_t ldc) const;

  /// B ← L⁻¹·B for the lower triangle L of A, whose diagonal is not read and is all ones, in device
  /// memory, in the handle's stream. B is m×n. Throws as gemm().
  template <class T>
  void solve_unit_lower(const CudaDevice& device, CublasHandle handle, std::int64_t m,
                        std::int64_t n, const T* A, std::int64_t lda, T* B, std::int64_t ldb) const;

  CublasLibrary(const CublasLibrary&) = delete;
  CublasLibrary& operator=(const CublasLibrary&) = delete;

 private:
  explicit CublasLibrary(const std::string& path);
  void check(int status, const char* call, const CudaDevice& device) const;

  /// A function for 32-bit integers, and the same function for 64-bit integers, which cuBLAS has
  /// since version 12.
  struct Function {
    void (*narrow)() = nullptr;
    void (*wide)() = nullptr;
  };
  template <class T>
  struct FunctionsOf {
    Function gemm, geam, trsm;
  };
  template <class T>
  const FunctionsOf<T>& functions() const;
  template <class Call>
  void call(const Function& function, std::int64_t largest, const char* name,
            const Call& call) const;

  SharedLibrary file_;
  int (*create_)(CublasHandle*) = nullptr;
  int (*destroy_)(CublasHandle) = nullptr;
  int (*set_stream_)(CublasHandle, CuStream) = nullptr;
  Function gemm_ex_;
  FunctionsOf<float> s_;
  FunctionsOf<double> d_;
  FunctionsOf<std::complex<float>> c_;
  FunctionsOf<std::complex<double>> z_;
};

}  // namespace cuboid::detail
