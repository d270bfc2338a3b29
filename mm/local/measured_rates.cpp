#include "mm/local/measured_rates.hpp"

#include <cuboid/error.hpp>

#include "base/clock.hpp"
#include "mm/local/device_gemm.hpp"
#include "mm/matrix/aligned_memory.hpp"
#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <cstring>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// The median seconds of some calls, without the first call.
template <class Call>
double seconds_of(const Call& call) {
  call();
  std::array<double, 3> seconds{};
  for (double& one : seconds) {
    const auto start = Clock::now();
    call();
    const std::chrono::duration<double> elapsed = Clock::now() - start;
    one = elapsed.count();
  }
  std::ranges::sort(seconds);
  return std::max(seconds[1], 1e-9);
}

}  // namespace

HostLinkRates measure_links(const CudaDevice& device) {
  constexpr std::size_t length = std::size_t{16} << 20, little = 64;
  const CudaDevice::Current current(device);
  const CudaStream stream(device);
  const DeviceMemory there(device, 2 * length);
  const AlignedArray<std::byte> here(length, "a measurement of the way to a device");
  std::memset(here.data(), 1, length);
  const auto seconds = [&](std::byte* from, bool from_device, std::byte* to, bool to_device,
                           std::size_t bytes) {
    return seconds_of([&] {
      stream.copy({from, bytes, from_device}, {to, bytes, to_device}, bytes, 1);
      stream.wait();
    });
  };
  const auto up = [&](std::size_t bytes) {
    return seconds(here.data(), false, there.data(), true, bytes);
  };
  const auto down = [&](std::size_t bytes) {
    return seconds(there.data(), true, here.data(), false, bytes);
  };
  const auto bytes = static_cast<double>(length);
  HostLinkRates rates;
  rates.pageable_up_byte = up(length) / bytes;
  rates.pageable_down_byte = down(length) / bytes;
  rates.pin_byte = seconds_of([&] { PinnedPages::of(device, here.data(), length); }) / bytes;
  const auto pinned = PinnedPages::of(device, here.data(), length);
  rates.copy_call = up(little);
  rates.up_byte = std::max(up(length) - rates.copy_call, 1e-9) / bytes;
  rates.down_byte = std::max(down(length) - rates.copy_call, 1e-9) / bytes;
  const double within = seconds(there.data(), true, there.data() + length, true, length);
  rates.memory_byte = std::max(within - rates.copy_call, 1e-9) / (2 * bytes);
  return rates;
}

template <class T>
GemmRate measure_gemm(const DeviceWorker& worker, std::byte* memory, std::size_t bytes) {
  constexpr std::int64_t smallest = 32;
  constexpr double enough_seconds = 2e-4;
  if (constexpr std::size_t least = 3 * smallest * smallest * sizeof(T); bytes < least) {
    throw Error(ErrorCode::out_of_memory,
                fmt::format("{}: {} bytes of its memory are too few to multiply in, {} would do: "
                            "raise CUBOID_DEVICE_MEMORY",
                            worker.device.name(), bytes, least));
  }
  const auto seconds = [&](std::int64_t n) {
    T* const A = reinterpret_cast<T*>(memory);
    return seconds_of([&] {
      worker.cublas.gemm(worker.device, worker.handle, worker.factors, CublasOp::none,
                         CublasOp::none, n, n, n, T(1), A, n, A + n * n, n, T(0), A + 2 * n * n, n);
      worker.compute.wait();
    });
  };
  // The numbers are zeros: the rate does not depend on them.
  worker.compute.clear({memory, bytes, true}, bytes, 1);
  std::int64_t n = smallest;
  const double call = seconds(n);
  double large = call;
  while (large < enough_seconds && 3 * 4 * static_cast<std::size_t>(n * n) * sizeof(T) <= bytes) {
    n *= 2;
    large = seconds(n);
  }
  const auto work = static_cast<double>(n * n * n);
  return {call, std::max(large - call, large / 4) / work};
}

template <class T>
double measure_cores(const BlasLibrary& cores) {
  constexpr std::int64_t n = 256;
  const AlignedArray<T> operands(3 * n * n, "a measurement of the cores");
  T* const A = operands.data();
  std::fill_n(A, 3 * n * n, T(1));
  const double seconds = seconds_of([&] {
    cores.gemm(Op::none, Op::none, n, n, n, T(1), A, n, A + n * n, n, T(0), A + 2 * n * n, n);
  });
  return static_cast<double>(n * n * n) / seconds;
}

#define CUBOID_FOR(T)                                                              \
  template GemmRate measure_gemm<T>(const DeviceWorker&, std::byte*, std::size_t); \
  template double measure_cores<T>(const BlasLibrary&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_FOR);
#undef CUBOID_FOR

}  // namespace cuboid::detail
