#include "devices/memory/reachable_memory.hpp"

#include "devices/memory/pointer_attributes.hpp"

#include <array>
#include <list>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr CuResult already_mapped = 208;

/// False for memory of cudaMallocAsync and of CUDA's virtual memory. What lets a context use all
/// memory of a peer does not hold for it.
bool is_of_malloc(const CudaDriver& driver, CuPointer address) {
  int has_handle = 0;
  const std::array<int, 1> which{cu::attribute_has_memory_handle};
  const std::array<void*, 1> value{&has_handle};
  return pointer_attributes(driver, which, value, address) == cu::success && has_handle != 0;
}

}  // namespace

std::optional<ReachablePart> reachable_part(const void* data, std::size_t bytes, bool by_processes,
                                            std::string& reason) {
  const CudaDriver& driver = *CudaDriver::loaded();
  ReachablePart part;
  part.address = reinterpret_cast<std::uint64_t>(data);
  part.bytes = bytes;
  int device = 0, has_handle = 0;
  const std::array<int, 4> which{cu::attribute_device_ordinal, cu::attribute_has_memory_handle,
                                 cu::attribute_range_begin, cu::attribute_range_bytes};
  const std::array<void*, 4> values{&device, &has_handle, &part.allocation, &part.allocation_bytes};
  CuResult result = pointer_attributes(driver, which, values, part.address);
  part.device = device;
  if (result == cu::success && !by_processes) return part;
  if (result == cu::success && has_handle == 0) {
    reason = "memory of cudaMallocAsync, or of CUDA's virtual memory, has no handle";
    return std::nullopt;
  }
  if (result == cu::success) {
    const CudaDevice::Current current(CudaDevice::at(driver, device));
    result = driver.call().memory_handle(&part.handle, part.allocation);
  }
  if (result == cu::success) return part;
  reason = fmt::format("cuIpcGetMemHandle: {}", driver.describe(result));
  return std::nullopt;
}

class OpenedMemory::Opened {
 public:
  Opened(const CudaDevice& device, CuPointer begin, const ReachablePart& part)
      : device_(device),
        begin_(begin),
        allocation_(part.allocation),
        bytes_(part.allocation_bytes) {}
  ~Opened() {
    device_.release([this] { device_.call().close_memory(begin_); });
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  std::byte* at(const ReachablePart& part) const {
    return reinterpret_cast<std::byte*>(begin_ + (part.address - part.allocation));
  }
  /// True if two allocations have a byte in common in their owner's process.
  bool overlaps(const ReachablePart& part) const {
    return allocation_ < part.allocation + part.allocation_bytes &&
           part.allocation < allocation_ + bytes_;
  }

 private:
  const CudaDevice& device_;
  CuPointer begin_;
  std::uint64_t allocation_;
  std::uint64_t bytes_;
};

std::optional<OpenedMemory::ReachedPart> OpenedMemory::reach(const CudaDevice& device,
                                                             const ReachablePart& part,
                                                             std::optional<std::int64_t> process,
                                                             std::string& reason) {
  if (!process) {
    const CudaDevice& other = CudaDevice::at(device.driver(), static_cast<int>(part.device));
    const bool is_shared = &other == &device || is_of_malloc(device.driver(), part.address);
    if (is_shared && device.reaches(other))
      return ReachedPart{reinterpret_cast<std::byte*>(part.address), {}};
    reason = is_shared ? fmt::format("{} has no way to {}", device.name(), other.name())
                       : fmt::format(
                             "memory of cudaMallocAsync, or of CUDA's virtual memory, on "
                             "{} is not shared with {}",
                             other.name(), device.name());
    return std::nullopt;
  }
  const Key key{&device, *process, part.handle};
  if (const auto* const known = opened_.find(key)) return ReachedPart{(*known)->at(part), *known};
  close_what_was_freed(key, part);
  CuPointer begin = 0;
  const CudaDevice::Current current(device);
  const auto open = [&] {
    return device.call().open_memory(&begin, part.handle, cu::lazy_peer_access);
  };
  const auto close_unused = [&] {
    return std::erase_if(opened_.entries(), [&](const auto& entry) {
             return entry.first.process == *process && entry.second.use_count() == 1;
           }) > 0;
  };
  CuResult result = open();
  // What the owner has freed is still open here, and lies where the new allocation would.
  if (result == already_mapped && close_unused()) result = open();
  if (result != cu::success) {
    reason =
        fmt::format("{}: cuIpcOpenMemHandle: {}", device.name(), device.driver().describe(result));
    return std::nullopt;
  }
  const auto& opened = opened_.add(key, std::make_shared<const Opened>(device, begin, part));
  return ReachedPart{opened->at(part), opened};
}

void OpenedMemory::close_what_was_freed(const Key& key, const ReachablePart& part) {
  std::erase_if(opened_.entries(), [&](const auto& entry) {
    return entry.first.process == key.process && entry.first.handle != key.handle &&
           entry.second->overlaps(part);
  });
}

}  // namespace cuboid::detail
