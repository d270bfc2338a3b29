#pragma once

#include "devices/cuda/cuda_device.hpp"
#include "devices/kernels/kernel_cache.hpp"
#include "devices/kernels/kernel_source.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// The operations and the types of Reduction and Datatype that kernels have, by the same names.
enum class Combination {
  sum,
  product,
  minimum,
  maximum,
  logical_and,
  logical_or,
  logical_xor,
  bitwise_and,
  bitwise_or,
  bitwise_xor,
  average,  ///< of all operands of a fold, for floating point and complex types
};
enum class NumberType {
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
};
std::string_view to_string(Combination operation);
std::string_view to_string(NumberType type);
std::size_t bytes_of(NumberType type);
/// True if an operation has a meaning for a type: minimum, maximum, logical and bitwise operations
/// have none for complex numbers, bitwise ones none for floating point.
bool is_defined(Combination operation, NumberType type);

/// Kernels that work on arrays in a device's memory. Each is compiled by NVRTC at its first use,
/// and kept in the user's cache folder and in this object. All functions queue their work in a
/// stream; the device must be current. They throw Error(unsupported), with the package to install,
/// if a kernel must be compiled and there is no NVRTC; Error(invalid_argument) for what has no
/// meaning; Error(io) if the device fails. Any thread may call them.
class DeviceKernels {
 public:
  /// @param nvrtc         NVRTC's file; nullopt: the newest one that is installed
  /// @param cache_folder  Environment::cache_folder
  DeviceKernels(const CudaDevice& device, std::optional<std::string> nvrtc,
                const std::optional<std::string>& cache_folder);
  /// Unloads the kernels. What was asked of them must be done.
  ~DeviceKernels();
  DeviceKernels(const DeviceKernels&) = delete;
  DeviceKernels& operator=(const DeviceKernels&) = delete;

  /// into[i] ← into[i] ⊕ from[i] for `count` elements, with the bits of the same on the cores; NaN
  /// may have others.
  void combine(const CudaStream& stream, Combination operation, NumberType type, const void* from,
               void* into, std::size_t count) const;
  /// into[i] ← from[0][i] ⊕ from[1][i] ⊕ …, from left to right, for `count` elements, with the same
  /// bits as by combine(). `into` may be one of the arrays `from`.
  void fold(const CudaStream& stream, Combination operation, NumberType type,
            std::span<const void* const> from, void* into, std::size_t count) const;
  /// Compiles a kernel that fold() will use, unless that is done already.
  void prepare_fold(Combination operation, NumberType type, int operands) const;
  /// to[i] ← from[i], rounded to nearest, between real floating point types or complex types; from
  /// float64 to 16 bits by way of float32.
  void convert(const CudaStream& stream, NumberType from_type, const void* from, NumberType to_type,
               void* to, std::size_t count) const;
  /// Copies `height` lines of `width` bytes within the device, at full rate for short lines, too:
  /// packs or unpacks a submatrix.
  void copy(const CudaStream& stream, const MemoryLines& from, const MemoryLines& to,
            std::size_t width, std::size_t height) const;
  /// Sets every element of `height` lines of `width` bytes to `value`, an element of `bytes` bytes:
  /// 1, 2, 4, 8 or 16, by which the lines' pitch and width divide.
  void fill(const CudaStream& stream, const void* value, std::size_t bytes, const MemoryLines& to,
            std::size_t width, std::size_t height) const;

 private:
  using Function = struct CuFunctionState*;
  using Module = struct CuModuleState*;

  /// The kernel, compiled and loaded at the first call.
  Function ready(const KernelSource& source) const;
  Function ready_fold(Combination operation, NumberType type, int operands) const;
  void launch(const CudaStream& stream, Function function, std::uint64_t elements,
              void** parameters) const;

  const CudaDevice& device_;
  const std::optional<std::string> nvrtc_;
  const std::string capability_;
  const KernelCache cache_;
  CuResult (*load_)(Module*, const void*) = nullptr;
  CuResult (*unload_)(Module) = nullptr;
  CuResult (*find_)(Function*, Module, const char*) = nullptr;
  CuResult (*launch_)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      unsigned, CuStream, void**, void**) = nullptr;
  mutable std::mutex mutex_;
  mutable std::vector<Module> modules_;
  mutable std::map<std::string, Function> functions_;
};

}  // namespace cuboid::detail
