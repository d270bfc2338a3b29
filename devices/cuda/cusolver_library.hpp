#pragma once

#include "base/shared_library.hpp"
#include "devices/cuda/cuda_device.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace cuboid::detail {

using CusolverHandle = struct CusolverState*;

/// cuSOLVER, loaded at run time and once per process. Its functions take 64-bit integers. Matrices
/// lie in device memory, column by column, and the device must be current.
class CusolverLibrary {
 public:
  /// The library at `path`. Without a path, it is the library that the process has loaded already,
  /// else the newest installed one that the driver can serve. Throws Error(unsupported) with the
  /// remedy.
  static const CusolverLibrary& open(const std::optional<std::string>& path,
                                     const CudaDriver& driver);

  const std::string& path() const { return file_.path(); }

  /// A handle whose work is queued in `stream`, on the device that is current.
  CusolverHandle create(const CudaDevice& device, const CudaStream& stream) const;
  void destroy(CusolverHandle handle) const { destroy_(handle); }

  /// The bytes of memory that a factorisation needs beside the matrix.
  struct Workspace {
    std::size_t on_device = 0;
    std::size_t on_host = 0;
  };
  /// The memory of a factorisation.
  struct WorkspaceMemory {
    void* on_device;
    void* on_host;  ///< in use until the stream has done the work
    int* info;      ///< on the device, see lu() and cholesky()
  };

  template <class T>
  Workspace workspace_of_lu(const CudaDevice& device, CusolverHandle handle, std::int64_t m,
                            std::int64_t n, std::int64_t lda) const;
  /// P·A = L·U in place with partial pivoting, in the handle's stream. Row k was swapped with row
  /// pivots[k], counted from 1; `pivots` are on the device, min(m, n) of them. *info becomes 0, or
  /// k if U(k, k), counted from 1, is exactly 0.
  template <class T>
  void lu(const CudaDevice& device, CusolverHandle handle, std::int64_t m, std::int64_t n, T* A,
          std::int64_t lda, std::int64_t* pivots, const Workspace& bytes,
          const WorkspaceMemory& memory) const;

  template <class T>
  Workspace workspace_of_cholesky(const CudaDevice& device, CusolverHandle handle, std::int64_t n,
                                  std::int64_t lda) const;
  /// A = L·Lᴴ in place, of the lower triangle, in the handle's stream. *info becomes 0, or k if the
  /// leading minor of order k is not positive definite.
  template <class T>
  void cholesky(const CudaDevice& device, CusolverHandle handle, std::int64_t n, T* A,
                std::int64_t lda, const Workspace& bytes, const WorkspaceMemory& memory) const;

  CusolverLibrary(const CusolverLibrary&) = delete;
  CusolverLibrary& operator=(const CusolverLibrary&) = delete;

 private:
  explicit CusolverLibrary(const std::string& path);
  void check(int status, const char* call, const CudaDevice& device) const;

  SharedLibrary file_;
  int (*create_)(CusolverHandle*) = nullptr;
  int (*destroy_)(CusolverHandle) = nullptr;
  int (*set_stream_)(CusolverHandle, CuStream) = nullptr;
  struct Parameters;  // of an algorithm; nullptr: the usual one
  int (*size_of_lu_)(CusolverHandle, Parameters*, std::int64_t, std::int64_t, int, const void*,
                     std::int64_t, int, std::size_t*, std::size_t*) = nullptr;
  int (*lu_)(CusolverHandle, Parameters*, std::int64_t, std::int64_t, int, void*, std::int64_t,
             std::int64_t*, int, void*, std::size_t, void*, std::size_t, int*) = nullptr;
  int (*size_of_cholesky_)(CusolverHandle, Parameters*, int, std::int64_t, int, const void*,
                           std::int64_t, int, std::size_t*, std::size_t*) = nullptr;
  int (*cholesky_)(CusolverHandle, Parameters*, int, std::int64_t, int, void*, std::int64_t, int,
                   void*, std::size_t, void*, std::size_t, int*) = nullptr;
};

}  // namespace cuboid::detail
