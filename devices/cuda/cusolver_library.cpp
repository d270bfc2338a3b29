#include "devices/cuda/cusolver_library.hpp"

#include <cuboid/error.hpp>

#include "devices/cuda/cuda_library_files.hpp"

#include <array>
#include <complex>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

std::string find_cusolver(const CudaDriver& driver) {
  // cuSOLVER 11 belongs to CUDA 11 and 12.
  constexpr std::array versions{CudaLibraryVersion{12, 13}, CudaLibraryVersion{11, 11}};
  if (const auto file = find_cuda_library(driver, "libcusolver", versions)) return *file;
  throw Error(ErrorCode::unsupported,
              "there is no cuSOLVER: install it (libcusolver), or set CUBOID_CUSOLVER to its file "
              "(that of PyPI's nvidia-cusolver is in site-packages/nvidia)");
}

std::string_view cusolver_status(int status) {
  switch (status) {
    case 1: return "CUSOLVER_STATUS_NOT_INITIALIZED";
    case 2: return "CUSOLVER_STATUS_ALLOC_FAILED";
    case 3: return "CUSOLVER_STATUS_INVALID_VALUE";
    case 4: return "CUSOLVER_STATUS_ARCH_MISMATCH";
    case 6: return "CUSOLVER_STATUS_EXECUTION_FAILED";
    case 7: return "CUSOLVER_STATUS_INTERNAL_ERROR";
    case 9: return "CUSOLVER_STATUS_NOT_SUPPORTED";
    default: return "an unknown status";
  }
}
constexpr int cusolver_allocation_failed = 2;

/// CUDA's number for an element type (cudaDataType).
template <class T>
constexpr int cuda_type() {
  if constexpr (std::is_same_v<T, float>) return 0;
  if constexpr (std::is_same_v<T, double>) return 1;
  if constexpr (std::is_same_v<T, std::complex<float>>) return 4;
  if constexpr (std::is_same_v<T, std::complex<double>>) return 5;
}

constexpr int lower_triangle = 0;

}  // namespace

const CusolverLibrary& CusolverLibrary::open(const std::optional<std::string>& path,
                                             const CudaDriver& driver) {
  return once_per_process<const CusolverLibrary>(
      path.value_or(""), [&] { return new CusolverLibrary(path ? *path : find_cusolver(driver)); });
}

CusolverLibrary::CusolverLibrary(const std::string& path) : file_(path, Symbols::programs) {
  const auto find = [&](auto*& function, const char* name) {
    file_.require(function, name,
                  "it is no cuSOLVER of CUDA 11.1 or later: set CUBOID_CUSOLVER to "
                  "libcusolver.so.11 or another");
  };
  find(create_, "cusolverDnCreate");
  find(destroy_, "cusolverDnDestroy");
  find(set_stream_, "cusolverDnSetStream");
  find(size_of_lu_, "cusolverDnXgetrf_bufferSize");
  find(lu_, "cusolverDnXgetrf");
  find(size_of_cholesky_, "cusolverDnXpotrf_bufferSize");
  find(cholesky_, "cusolverDnXpotrf");
}

CusolverHandle CusolverLibrary::create(const CudaDevice& device, const CudaStream& stream) const {
  CusolverHandle handle = nullptr;
  const int status = create_(&handle);
  // cuSOLVER 11 can be CUDA 12's, which an older driver does not serve.
  if (status != 0 && status != cusolver_allocation_failed) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: cusolverDnCreate: {} ({}): set CUBOID_CUSOLVER to a cuSOLVER of "
                            "the driver's CUDA",
                            device.name(), cusolver_status(status), path()));
  }
  check(status, "cusolverDnCreate", device);
  check(set_stream_(handle, stream.get()), "cusolverDnSetStream", device);
  return handle;
}

void CusolverLibrary::check(int status, const char* call, const CudaDevice& device) const {
  if (status == 0) return;
  const bool memory = status == cusolver_allocation_failed;
  throw Error(
      memory ? ErrorCode::out_of_memory : ErrorCode::io,
      fmt::format("{}: {}: {} ({}): {}", device.name(), call, cusolver_status(status), path(),
                  memory ? "run fewer ranks on it" : "CUBOID_DEVICE=none factorises on the cores"));
}

template <class T>
CusolverLibrary::Workspace CusolverLibrary::workspace_of_lu(const CudaDevice& device,
                                                            CusolverHandle handle, std::int64_t m,
                                                            std::int64_t n,
                                                            std::int64_t lda) const {
  Workspace bytes;
  check(size_of_lu_(handle, nullptr, m, n, cuda_type<T>(), nullptr, lda, cuda_type<T>(),
                    &bytes.on_device, &bytes.on_host),
        "cusolverDnXgetrf_bufferSize", device);
  return bytes;
}

template <class T>
void CusolverLibrary::lu(const CudaDevice& device, CusolverHandle handle, std::int64_t m,
                         std::int64_t n, T* A, std::int64_t lda, std::int64_t* pivots,
                         const Workspace& bytes, const WorkspaceMemory& memory) const {
  check(lu_(handle, nullptr, m, n, cuda_type<T>(), A, lda, pivots, cuda_type<T>(), memory.on_device,
            bytes.on_device, memory.on_host, bytes.on_host, memory.info),
        "cusolverDnXgetrf", device);
}

template <class T>
CusolverLibrary::Workspace CusolverLibrary::workspace_of_cholesky(const CudaDevice& device,
                                                                  CusolverHandle handle,
                                                                  std::int64_t n,
                                                                  std::int64_t lda) const {
  Workspace bytes;
  check(size_of_cholesky_(handle, nullptr, lower_triangle, n, cuda_type<T>(), nullptr, lda,
                          cuda_type<T>(), &bytes.on_device, &bytes.on_host),
        "cusolverDnXpotrf_bufferSize", device);
  return bytes;
}

template <class T>
void CusolverLibrary::cholesky(const CudaDevice& device, CusolverHandle handle, std::int64_t n,
                               T* A, std::int64_t lda, const Workspace& bytes,
                               const WorkspaceMemory& memory) const {
  check(cholesky_(handle, nullptr, lower_triangle, n, cuda_type<T>(), A, lda, cuda_type<T>(),
                  memory.on_device, bytes.on_device, memory.on_host, bytes.on_host, memory.info),
        "cusolverDnXpotrf", device);
}

#define CUBOID_FOR(T)                                                                              \
  template CusolverLibrary::Workspace CusolverLibrary::workspace_of_lu<T>(                         \
      const CudaDevice&, CusolverHandle, std::int64_t, std::int64_t, std::int64_t) const;          \
  template void CusolverLibrary::lu(const CudaDevice&, CusolverHandle, std::int64_t, std::int64_t, \
                                    T*, std::int64_t, std::int64_t*, const Workspace&,             \
                                    const WorkspaceMemory&) const;                                 \
  template CusolverLibrary::Workspace CusolverLibrary::workspace_of_cholesky<T>(                   \
      const CudaDevice&, CusolverHandle, std::int64_t, std::int64_t) const;                        \
  template void CusolverLibrary::cholesky(const CudaDevice&, CusolverHandle, std::int64_t, T*,     \
                                          std::int64_t, const Workspace&, const WorkspaceMemory&)  \
      const;
CUBOID_FOR(float)
CUBOID_FOR(double)
CUBOID_FOR(std::complex<float>)
CUBOID_FOR(std::complex<double>)
#undef CUBOID_FOR

}  // namespace cuboid::detail
