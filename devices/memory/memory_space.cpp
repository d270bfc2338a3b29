#include "devices/memory/memory_space.hpp"

#include <cuboid/error.hpp>

#include "devices/cuda/cuda_driver.hpp"

#include <array>
#include <optional>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

struct PointerAttributes {
  MemorySpace space;
  const std::byte* begin = nullptr;  ///< the beginning of the allocation
  std::size_t bytes = 0;
};

/// The attributes of an address; nullopt for memory that the driver does not know.
std::optional<PointerAttributes> attributes_of(const void* data) {
  const CudaDriver* const driver = CudaDriver::loaded();
  if (driver == nullptr || data == nullptr) return std::nullopt;
  int kind = 0, device = 0;
  unsigned managed = 0;
  CuPointer begin = 0;
  std::size_t bytes = 0;
  std::array<int, 5> which{cu::attribute_memory_type, cu::attribute_is_managed,
                           cu::attribute_device_ordinal, cu::attribute_range_begin,
                           cu::attribute_range_bytes};
  std::array<void*, 5> values{&kind, &managed, &device, &begin, &bytes};
  const CuResult result =
      driver->call().pointer_attributes(static_cast<unsigned>(which.size()), which.data(),
                                        values.data(), reinterpret_cast<CuPointer>(data));
  if (result != cu::success || (kind != cu::host_memory && kind != cu::device_memory))
    return std::nullopt;
  const MemoryKind memory = managed != 0              ? MemoryKind::managed
                            : kind == cu::host_memory ? MemoryKind::pinned
                                                      : MemoryKind::device;
  return PointerAttributes{{memory, device}, reinterpret_cast<const std::byte*>(begin), bytes};
}

}  // namespace

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

void check_allocation(const void* data, std::size_t bytes, std::string_view what) {
  const auto known = attributes_of(data);
  if (!known || known->space.on_host() || known->begin == nullptr) return;
  const auto before = static_cast<std::size_t>(static_cast<const std::byte*>(data) - known->begin);
  if (bytes <= known->bytes - before) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}: {} bytes from {} on reach beyond its allocation on device {}, of {} "
                          "bytes from {} on",
                          what, bytes, data, known->space.device, known->bytes,
                          static_cast<const void*>(known->begin)));
}

}  // namespace cuboid::detail
