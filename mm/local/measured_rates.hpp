#pragma once

#include "devices/cuda/cuda_device.hpp"
#include "mm/local/blas_library.hpp"

#include <cstddef>

namespace cuboid::detail {

class DeviceWorker;

/// The rates of copies from and to a device, by one process alone.
struct HostLinkRates {
  double copy_call = 0;               ///< seconds of an empty copy and the wait for it
  double up_byte = 0, down_byte = 0;  ///< seconds per byte of pinned memory
  double pageable_up_byte = 0, pageable_down_byte = 0;
  double memory_byte = 0;  ///< seconds per byte read or written within the device
  double pin_byte = 0;     ///< seconds per byte to pin and to unpin
};

/// Measures the rates of copies. Takes about 20 ms.
HostLinkRates measure_links(const CudaDevice& device);

/// The rates of multiplications in a device's memory.
struct GemmRate {
  double call = 0;            ///< seconds of a small product
  double multiplication = 0;  ///< seconds of a multiplication in a large product
};
/// The bytes of memory that measure_gemm() uses.
inline constexpr std::size_t gemm_probe_bytes = std::size_t{3} * 2048 * 2048 * 8;

/// Measures a worker's rates with products of up to 2048³, or with smaller products if the memory
/// or the device is small. The device must be current.
template <class T>
GemmRate measure_gemm(const DeviceWorker& worker, std::byte* memory, std::size_t bytes);

/// The multiplications per second of the cores, measured on matrices that fit into the caches.
template <class T>
double measure_cores(const BlasLibrary& cores);

}  // namespace cuboid::detail
