#include "devices/cuda/cuda_driver.hpp"

#include <cuboid/error.hpp>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

std::string name_of_version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

const CudaDriver& CudaDriver::at(const std::string& path) {
  return once_per_process<const CudaDriver>(path, [&] {
    const auto* driver = new CudaDriver(path);
    loaded_ = driver;
    return driver;
  });
}

void CudaDriver::adopt(const std::string& path) {
  static std::atomic<bool> tried = false;
  static std::atomic<unsigned long long> looked_after = 0;  // the count of loads at the last look
  if (loaded() != nullptr || tried) return;
  const unsigned long long loads = SharedLibrary::loads();
  if (looked_after == loads) return;
  const bool is_here = SharedLibrary::is_loaded(path);
  looked_after = loads;
  if (!is_here || tried.exchange(true)) return;
  try {
    at(path);
  } catch (const Error&) {
    // The program has the library, but no device.
  }
}

CudaDriver::CudaDriver(const std::string& path)
    : file_(path, Symbols::programs,
            "install the driver of the GPU, or set CUBOID_CUDA to its library") {
  const auto find = [&](auto*& function, const char* name) {
    file_.require(function, name,
                  "it is no CUDA driver of version 11.0 or later; install a newer driver, or set "
                  "CUBOID_DEVICE=none");
  };
  find(call_.init, "cuInit");
  find(call_.driver_version, "cuDriverGetVersion");
  find(call_.error_name, "cuGetErrorName");
  find(call_.error_text, "cuGetErrorString");
  find(call_.device_count, "cuDeviceGetCount");
  find(call_.device, "cuDeviceGet");
  find(call_.device_name, "cuDeviceGetName");
  find(call_.device_attribute, "cuDeviceGetAttribute");
  find(call_.device_memory, "cuDeviceTotalMem_v2");
  find(call_.retain_context, "cuDevicePrimaryCtxRetain");
  find(call_.push_context, "cuCtxPushCurrent_v2");
  find(call_.pop_context, "cuCtxPopCurrent_v2");
  find(call_.current_context, "cuCtxGetCurrent");
  find(call_.free_memory, "cuMemGetInfo_v2");
  find(call_.allocate, "cuMemAlloc_v2");
  find(call_.free, "cuMemFree_v2");
  find(call_.pin, "cuMemHostRegister_v2");
  find(call_.unpin, "cuMemHostUnregister");
  find(call_.copy, "cuMemcpyAsync");
  find(call_.copy_2d, "cuMemcpy2DAsync_v2");
  find(call_.fill_2d, "cuMemsetD2D8Async");
  find(call_.pointer_attributes, "cuPointerGetAttributes");
  find(call_.memory_handle, "cuIpcGetMemHandle");
  find(call_.open_memory, "cuIpcOpenMemHandle_v2");
  find(call_.close_memory, "cuIpcCloseMemHandle");
  find(call_.can_access_peer, "cuDeviceCanAccessPeer");
  find(call_.enable_peer_access, "cuCtxEnablePeerAccess");
  find(call_.create_stream, "cuStreamCreate");
  find(call_.destroy_stream, "cuStreamDestroy_v2");
  find(call_.wait_stream, "cuStreamSynchronize");
  find(call_.stream_waits, "cuStreamWaitEvent");
  find(call_.create_event, "cuEventCreate");
  find(call_.destroy_event, "cuEventDestroy_v2");
  find(call_.record, "cuEventRecord");
  find(call_.query, "cuEventQuery");
  find(call_.wait_event, "cuEventSynchronize");

  constexpr int oldest = 11000;
  if (call_.driver_version(&version_) == cu::success && version_ < oldest) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{} serves CUDA {}, Cuboid needs {}: install a newer driver, or set "
                            "CUBOID_DEVICE=none",
                            path, name_of_version(version_), name_of_version(oldest)));
  }
  CuResult result = call_.init(0);
  if (result == cu::success) result = call_.device_count(&devices_);
  if (result != cu::success || devices_ == 0) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{} finds no device ({}): check nvidia-smi and CUDA_VISIBLE_DEVICES",
                            path, result == cu::success ? "none is visible" : describe(result)));
  }
}

std::string CudaDriver::version_name() const {
  return name_of_version(version_);
}

std::string CudaDriver::describe(CuResult result) const {
  const char *name = nullptr, *text = nullptr;
  if (call_.error_name(result, &name) != cu::success || name == nullptr)
    return fmt::format("error {}", result);
  call_.error_text(result, &text);
  return fmt::format("{}: {}", name, text == nullptr ? "" : text);
}

void CudaDriver::check(CuResult result, const char* name, const std::string& where) const {
  if (result == cu::success) return;
  if (result == cu::out_of_memory) {
    throw Error(ErrorCode::out_of_memory,
                fmt::format("{}: {}: {}: lower CUBOID_DEVICE_MEMORY, or run fewer ranks on it",
                            where, name, describe(result)));
  }
  throw Error(
      ErrorCode::io,
      fmt::format("{}: {}: {}: see nvidia-smi and the kernel's log; CUBOID_DEVICE=none goes "
                  "on without it",
                  where, name, describe(result)));
}

}  // namespace cuboid::detail
