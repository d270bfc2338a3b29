#include "devices/memory/memory_space.hpp"

#include <cuboid/environment.hpp>
#include <cuboid/error.hpp>

#include "devices/cuda/cuda_driver.hpp"
#include "devices/memory/pointer_attributes.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

struct PointerAttributes {
  MemorySpace space;
  const std::byte* begin = nullptr;  ///< the beginning of the allocation
  std::size_t bytes = 0;
};

/// False if this process may not read the byte: the kernel tells, without a signal.
bool is_readable(const void* data) {
  std::byte byte{};
  const iovec here{&byte, 1};
  const iovec there{const_cast<void*>(data), 1};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1 || errno != EFAULT;
}

/// The attributes of an address; nullopt for memory that the driver does not know. A device that is
/// lost fails every call: what the host cannot read is no host memory then, so this throws.
std::optional<PointerAttributes> attributes_of(const void* data) {
  const CudaDriver* const driver = CudaDriver::loaded();
  if (driver == nullptr || data == nullptr) return std::nullopt;
  int kind = 0, device = 0;
  unsigned managed = 0;
  CuPointer begin = 0;
  std::size_t bytes = 0;
  const std::array<int, 5> which{cu::attribute_memory_type, cu::attribute_is_managed,
                                 cu::attribute_device_ordinal, cu::attribute_range_begin,
                                 cu::attribute_range_bytes};
  const std::array<void*, 5> values{&kind, &managed, &device, &begin, &bytes};
  const CuResult result =
      pointer_attributes(*driver, which, values, reinterpret_cast<CuPointer>(data));
  if (result != cu::success && !is_readable(data))
    driver->check(result, "cuPointerGetAttributes", fmt::format("the memory at {}", data));
  if (result != cu::success || (kind != cu::host_memory && kind != cu::device_memory))
    return std::nullopt;
  const MemoryKind memory = managed != 0              ? MemoryKind::managed
                            : kind == cu::host_memory ? MemoryKind::pinned
                                                      : MemoryKind::device;
  return PointerAttributes{{memory, device}, reinterpret_cast<const std::byte*>(begin), bytes};
}

bool contains(const PointerAttributes& known, const void* data, std::size_t bytes) {
  if (known.begin == nullptr) return false;
  const auto before = static_cast<std::size_t>(static_cast<const std::byte*>(data) - known.begin);
  return before <= known.bytes && bytes <= known.bytes - before;
}

void require_inside(const PointerAttributes& known, const void* data, std::size_t bytes,
                    std::string_view what) {
  if (known.space.on_host() || known.begin == nullptr || contains(known, data, bytes)) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}: {} bytes from {} on reach beyond its allocation on device {}, of {} "
                          "bytes from {} on",
                          what, bytes, data, known.space.device, known.bytes,
                          static_cast<const void*>(known.begin)));
}

/// The file of the driver's library. Malformed variables are no error here: the making of a
/// communicator reports them.
const std::string& path_of_driver() {
  static const std::string path = [] {
    try {
      return Environment::read().cuda.value_or(cuda_driver_file);
    } catch (const Error&) {
      return std::string(cuda_driver_file);
    }
  }();
  return path;
}

/// Numbers of pages that were the host's when the driver was not loaded yet, each in the place that
/// its last digits name. The driver gives a page to a device only when it has been loaded.
constexpr std::size_t remembered_pages = 256;
std::array<std::atomic<std::uintptr_t>, remembered_pages> pages_of_host = {};

}  // namespace

bool may_lie_on_device(const void* data) {
  if (CudaDriver::loaded() != nullptr) return true;
  constexpr std::uintptr_t page_bytes = 4096;
  const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(data) / page_bytes;
  std::atomic<std::uintptr_t>& place = pages_of_host[page % remembered_pages];
  if (place.load(std::memory_order_relaxed) == page) return false;
  CudaDriver::adopt(path_of_driver());
  place.store(page, std::memory_order_relaxed);
  return CudaDriver::loaded() != nullptr;
}

std::string_view to_string(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::host: return "host";
    case MemoryKind::pinned: return "pinned";
    case MemoryKind::device: return "device";
    case MemoryKind::managed: return "managed";
  }
  return "unknown";
}

MemorySpace memory_space_of(const void* data) {
  const auto known = attributes_of(data);
  return known ? known->space : MemorySpace{};
}

MemorySpace memory_space_of_buffer(const void* data, std::size_t bytes, std::string_view what) {
  const auto known = attributes_of(data);
  if (!known) {
    if (data == nullptr || bytes == 0 || is_readable(data)) return {};
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{}: {} bytes from {} on lie in no allocation of the host or of a device "
                    "that this process sees: was the memory freed, or is it another "
                    "process's?",
                    what, bytes, data));
  }
  require_inside(*known, data, bytes, what);
  const int devices = CudaDriver::loaded()->devices();
  if (!known->space.on_host() && (known->space.device < 0 || known->space.device >= devices)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: {} bytes from {} on lie on device {}, which this process cannot "
                            "use: it sees {} (CUDA_VISIBLE_DEVICES)",
                            what, bytes, data, known->space.device, devices));
  }
  const bool partly = known->space.kind == MemoryKind::pinned && !contains(*known, data, bytes);
  return partly ? MemorySpace{} : known->space;
}

void check_allocation(const void* data, std::size_t bytes, std::string_view what) {
  if (const auto known = attributes_of(data)) require_inside(*known, data, bytes, what);
}

}  // namespace cuboid::detail
