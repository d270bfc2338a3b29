#include "devices/cuda/cublas_library.hpp"

#include <cuboid/error.hpp>

#include "devices/cuda/cuda_library_files.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

std::string find_cublas(const CudaDriver& driver) {
  constexpr std::array versions{CudaLibraryVersion{13, 13}, CudaLibraryVersion{12, 12},
                                CudaLibraryVersion{11, 11}};
  if (const auto file = find_cuda_library(driver, "libcublas", versions)) return *file;
  throw Error(
      ErrorCode::unsupported,
      fmt::format("there are {} CUDA devices, but no cuBLAS: install it (libcublas), or set "
                  "CUBOID_CUBLAS to its file; CUBOID_DEVICE=none multiplies on the cores",
                  driver.devices()));
}

std::string_view cublas_status(int status) {
  switch (status) {
    case 1: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case 3: return "CUBLAS_STATUS_ALLOC_FAILED";
    case 7: return "CUBLAS_STATUS_INVALID_VALUE";
    case 8: return "CUBLAS_STATUS_ARCH_MISMATCH";
    case 11: return "CUBLAS_STATUS_MAPPING_ERROR";
    case 13: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case 14: return "CUBLAS_STATUS_INTERNAL_ERROR";
    case 15: return "CUBLAS_STATUS_NOT_SUPPORTED";
    case 16: return "CUBLAS_STATUS_LICENSE_ERROR";
    default: return "an unknown status";
  }
}
constexpr int cublas_allocation_failed = 3;

template <class T, class Integer>
using CublasGemm = int (*)(CublasHandle, int, int, Integer, Integer, Integer, const T*, const T*,
                           Integer, const T*, Integer, const T*, T*, Integer);
template <class Integer>
using CublasGemmEx = int (*)(CublasHandle, int, int, Integer, Integer, Integer, const void*,
                             const void*, int, Integer, const void*, int, Integer, const void*,
                             void*, int, Integer, int, int);
template <class T, class Integer>
using CublasGeam = int (*)(CublasHandle, int, int, Integer, Integer, const T*, const T*, Integer,
                           const T*, const T*, Integer, T*, Integer);
template <class T, class Integer>
using CublasTrsm = int (*)(CublasHandle, int, int, int, int, Integer, Integer, const T*, const T*,
                           Integer, T*, Integer);

}  // namespace

const CublasLibrary& CublasLibrary::open(const std::optional<std::string>& path,
                                         const CudaDriver& driver) {
  return once_per_process<const CublasLibrary>(
      path.value_or(""), [&] { return new CublasLibrary(path ? *path : find_cublas(driver)); });
}

CublasLibrary::CublasLibrary(const std::string& path) : file_(path, Symbols::programs) {
  const auto find = [&](auto*& function, const char* name) {
    file_.require(function, name,
                  "it is no cuBLAS: set CUBOID_CUBLAS to libcublas.so.12 or another");
  };
  find(create_, "cublasCreate_v2");
  find(destroy_, "cublasDestroy_v2");
  find(set_stream_, "cublasSetStream_v2");
  const auto load_both = [&](Function& function, const std::string& name) {
    find(function.narrow, name.c_str());
    function.wide = file_.find<void()>((name + "_64").c_str());
  };
  load_both(gemm_ex_, "cublasGemmEx");
  const auto load = [&]<class T>(FunctionsOf<T>& functions, char letter) {
    const auto load_one = [&](Function& function, std::string name) {
      name[std::string_view("cublas").size()] = letter;
      load_both(function, name);
    };
    load_one(functions.gemm, "cublas?gemm_v2");
    load_one(functions.geam, "cublas?geam");
    load_one(functions.trsm, "cublas?trsm_v2");
  };
  load(s_, 'S');
  load(d_, 'D');
  load(c_, 'C');
  load(z_, 'Z');
}

template <class T>
const CublasLibrary::FunctionsOf<T>& CublasLibrary::functions() const {
  if constexpr (std::is_same_v<T, float>) return s_;
  if constexpr (std::is_same_v<T, double>) return d_;
  if constexpr (std::is_same_v<T, std::complex<float>>) return c_;
  if constexpr (std::is_same_v<T, std::complex<double>>) return z_;
}

CublasHandle CublasLibrary::create(const CudaDevice& device, const CudaStream& stream) const {
  CublasHandle handle = nullptr;
  check(create_(&handle), "cublasCreate", device);
  check(set_stream_(handle, stream.get()), "cublasSetStream", device);
  return handle;
}

void CublasLibrary::check(int status, const char* call, const CudaDevice& device) const {
  if (status == 0) return;
  const bool memory = status == cublas_allocation_failed;
  throw Error(
      memory ? ErrorCode::out_of_memory : ErrorCode::io,
      fmt::format("{}: {}: {} ({}): {}", device.name(), call, cublas_status(status), path(),
                  memory ? "run fewer ranks on it" : "CUBOID_DEVICE=none multiplies on the cores"));
}

template <class Call>
void CublasLibrary::call(const Function& function, std::int64_t largest, const char* name,
                         const Call& call) const {
  if (largest <= std::numeric_limits<std::int32_t>::max())
    return call(function.narrow, std::int32_t{});
  if (function.wide != nullptr) return call(function.wide, std::int64_t{});
  throw Error(
      ErrorCode::unsupported,
      fmt::format("{} takes no size or leading dimension of {}: {} needs cuBLAS 12 or later",
                  path(), largest, name));
}

template <class T>
void CublasLibrary::gemm(const CudaDevice& device, CublasHandle handle, CublasFactors factors,
                         CublasOp a, CublasOp b, std::int64_t m, std::int64_t n, std::int64_t k,
                         T alpha, const T* A, std::int64_t lda, const T* B, std::int64_t ldb,
                         T beta, T* C, std::int64_t ldc) const {
  constexpr bool is_real = std::is_same_v<T, float>;
  constexpr bool is_single = is_real || std::is_same_v<T, std::complex<float>>;
  if (is_single && factors != CublasFactors::as_they_are) {
    constexpr int real = 0, complex = 4, type = is_real ? real : complex;  // cudaDataType_t
    constexpr int default_algorithm = -1;
    call(gemm_ex_, std::max({m, n, k, lda, ldb, ldc}), "gemm",
         [&]<class Integer>(void (*function)(), Integer) {
           const auto narrow = [](std::int64_t value) { return static_cast<Integer>(value); };
           check(reinterpret_cast<CublasGemmEx<Integer>>(function)(
                     handle, static_cast<int>(a), static_cast<int>(b), narrow(m), narrow(n),
                     narrow(k), &alpha, A, type, narrow(lda), B, type, narrow(ldb), &beta, C, type,
                     narrow(ldc), static_cast<int>(factors), default_algorithm),
                 "cublasGemmEx", device);
         });
    return;
  }
  call(functions<T>().gemm, std::max({m, n, k, lda, ldb, ldc}), "gemm",
       [&]<class Integer>(void (*function)(), Integer) {
         const auto narrow = [](std::int64_t value) { return static_cast<Integer>(value); };
         check(reinterpret_cast<CublasGemm<T, Integer>>(function)(
                   handle, static_cast<int>(a), static_cast<int>(b), narrow(m), narrow(n),
                   narrow(k), &alpha, A, narrow(lda), B, narrow(ldb), &beta, C, narrow(ldc)),
               "cublas gemm", device);
       });
}

template <class T>
void CublasLibrary::add(const CudaDevice& device, CublasHandle handle, CublasOp a, std::int64_t m,
                        std::int64_t n, T alpha, const T* A, std::int64_t lda, T beta, T* C,
                        std::int64_t ldc) const {
  constexpr int plain = 0;
  call(functions<T>().geam, std::max({m, n, lda, ldc}), "geam",
       [&]<class Integer>(void (*function)(), Integer) {
         const auto narrow = [](std::int64_t value) { return static_cast<Integer>(value); };
         check(reinterpret_cast<CublasGeam<T, Integer>>(function)(
                   handle, static_cast<int>(a), plain, narrow(m), narrow(n), &alpha, A, narrow(lda),
                   &beta, C, narrow(ldc), C, narrow(ldc)),
               "cublas geam", device);
       });
}

template <class T>
void CublasLibrary::scale(const CudaDevice& device, CublasHandle handle, std::int64_t m,
                          std::int64_t n, T beta, T* C, std::int64_t ldc) const {
  add(device, handle, CublasOp::none, m, n, beta, C, ldc, T(0), C, ldc);
}

template <class T>
void CublasLibrary::copy(const CudaDevice& device, CublasHandle handle, std::int64_t m,
                         std::int64_t n, const T* A, std::int64_t lda, T* C,
                         std::int64_t ldc) const {
  add(device, handle, CublasOp::none, m, n, T(1), A, lda, T(0), C, ldc);
}

template <class T>
void CublasLibrary::solve_unit_lower(const CudaDevice& device, CublasHandle handle, std::int64_t m,
                                     std::int64_t n, const T* A, std::int64_t lda, T* B,
                                     std::int64_t ldb) const {
  constexpr int left = 0, lower = 0, plain = 0, unit = 1;
  const T one(1);
  call(functions<T>().trsm, std::max({m, n, lda, ldb}), "trsm",
       [&]<class Integer>(void (*function)(), Integer) {
         const auto narrow = [](std::int64_t value) { return static_cast<Integer>(value); };
         check(reinterpret_cast<CublasTrsm<T, Integer>>(function)(handle, left, lower, plain, unit,
                                                                  narrow(m), narrow(n), &one, A,
                                                                  narrow(lda), B, narrow(ldb)),
               "cublas trsm", device);
       });
}

#define CUBOID_FOR(T)                                                                             \
  template void CublasLibrary::gemm(const CudaDevice&, CublasHandle, CublasFactors, CublasOp,     \
                                    CublasOp, std::int64_t, std::int64_t, std::int64_t, T,        \
                                    const T*, std::int64_t, const T*, std::int64_t, T, T*,        \
                                    std::int64_t) const;                                          \
  template void CublasLibrary::scale(const CudaDevice&, CublasHandle, std::int64_t, std::int64_t, \
                                     T, T*, std::int64_t) const;                                  \
  template void CublasLibrary::copy(const CudaDevice&, CublasHandle, std::int64_t, std::int64_t,  \
                                    const T*, std::int64_t, T*, std::int64_t) const;              \
  template void CublasLibrary::add(const CudaDevice&, CublasHandle, CublasOp, std::int64_t,       \
                                   std::int64_t, T, const T*, std::int64_t, T, T*, std::int64_t)  \
      const;                                                                                      \
  template void CublasLibrary::solve_unit_lower(const CudaDevice&, CublasHandle, std::int64_t,    \
                                                std::int64_t, const T*, std::int64_t, T*,         \
                                                std::int64_t) const;
CUBOID_FOR(float)
CUBOID_FOR(double)
CUBOID_FOR(std::complex<float>)
CUBOID_FOR(std::complex<double>)
#undef CUBOID_FOR

}  // namespace cuboid::detail
