#include "devices/kernels/nvrtc_library.hpp"

#include <cuboid/error.hpp>

#include "devices/cuda/cuda_driver.hpp"

#include <algorithm>
#include <array>

#include <dlfcn.h>
#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr const char* remedy =
    "install CUDA's NVRTC (the package libnvrtc12 of Debian and Ubuntu, cuda-nvrtc of NVIDIA), or "
    "set CUBOID_NVRTC to its file (that of PyPI's nvidia-cuda-nvrtc is in site-packages/nvidia)";

/// A major version of NVRTC needs a driver of the same major version.
std::string find_nvrtc(const CudaDriver& driver) {
  constexpr int newest = 13, oldest = 11;
  for (const char* folder : {"", "/usr/local/cuda/lib64/"}) {
    for (int major = newest; major >= oldest; --major) {
      if (driver.version() < 1000 * major) continue;
      const std::string file =
          fmt::format("{}libnvrtc.so.{}", folder, major == oldest ? "11.2" : fmt::to_string(major));
      if (SharedLibrary::can_be_loaded(file)) return file;
    }
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("kernels for devices need a compiler: {}", remedy));
}

/// Loads what NVRTC loads when it compiles: NVRTC 13 finds it on the loader's path alone, and not
/// beside itself.
void load_companion(const void* function_of_nvrtc, const std::string& version) {
  Dl_info info{};
  if (dladdr(function_of_nvrtc, &info) == 0 || info.dli_fname == nullptr) return;
  const std::string file = info.dli_fname;
  const std::string folder = file.substr(0, file.rfind('/') + 1);
  SharedLibrary::can_be_loaded(fmt::format("{}libnvrtc-builtins.so.{}", folder, version));
}

}  // namespace

const NvrtcLibrary& NvrtcLibrary::open(const std::optional<std::string>& path,
                                       const CudaDriver& driver) {
  return once_per_process<const NvrtcLibrary>(
      path.value_or(""), [&] { return new NvrtcLibrary(path ? *path : find_nvrtc(driver)); });
}

NvrtcLibrary::NvrtcLibrary(const std::string& path) : file_(path, Symbols::programs, remedy) {
  const auto find = [&](auto*& function, const char* name) {
    file_.require(function, name, fmt::format("it is no NVRTC of CUDA 11.1 or later; {}", remedy));
  };
  find(call_.version, "nvrtcVersion");
  find(call_.create, "nvrtcCreateProgram");
  find(call_.destroy, "nvrtcDestroyProgram");
  find(call_.compile, "nvrtcCompileProgram");
  find(call_.code_size, "nvrtcGetCUBINSize");
  find(call_.code, "nvrtcGetCUBIN");
  find(call_.log_size, "nvrtcGetProgramLogSize");
  find(call_.log, "nvrtcGetProgramLog");
  find(call_.error_text, "nvrtcGetErrorString");
  int major = 0, minor = 0;
  call_.version(&major, &minor);
  version_ = fmt::format("{}.{}", major, minor);
  load_companion(reinterpret_cast<const void*>(call_.version), version_);
}

std::string NvrtcLibrary::compile(const std::string& source, const std::string& capability) const {
  std::string architecture = "--gpu-architecture=sm_" + capability;
  std::erase(architecture, '.');
  const std::array<const char*, 3> options{architecture.c_str(), "--fmad=false", "--std=c++17"};
  NvrtcFunctions::Program program = nullptr;
  std::string code, log;
  std::size_t bytes = 0;
  int result = call_.create(&program, source.c_str(), "cuboid_kernels.cu", 0, nullptr, nullptr);
  if (result == 0) {
    result = call_.compile(program, static_cast<int>(options.size()), options.data());
    if (result != 0 && call_.log_size(program, &bytes) == 0) {
      log.resize(bytes);
      call_.log(program, log.data());
    }
    if (result == 0) result = call_.code_size(program, &bytes);
    if (result == 0) {
      code.resize(bytes);
      result = call_.code(program, code.data());
    }
    call_.destroy(&program);
  }
  if (result == 0) return code;
  std::ranges::replace(log, '\n', ' ');
  throw Error(ErrorCode::unsupported,
              fmt::format("{} {} compiles no kernel for compute capability {}: {}: {}", path(),
                          version_, capability, call_.error_text(result), log.c_str()));
}

}  // namespace cuboid::detail
