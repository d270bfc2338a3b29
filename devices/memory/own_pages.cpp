#include "devices/memory/own_pages.hpp"

#include "devices/cuda/cuda_device.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace cuboid::detail {

namespace {

struct OwnPages {
  std::size_t bytes = 0;
  std::unique_ptr<PinnedPages> pinned = nullptr;
  bool refused = false;
};

/// State of the process, as its memory is. Never destroyed: matrices may outlive everything.
struct OwnAllocations {
  std::mutex mutex;
  std::map<const std::byte*, OwnPages> by_begin;

  /// The allocation that an address lies in; nullptr if it is none of these.
  std::pair<const std::byte* const, OwnPages>* find(const void* data) {
    const auto* const address = static_cast<const std::byte*>(data);
    const auto after = by_begin.upper_bound(address);
    if (after == by_begin.begin()) return nullptr;
    auto& at = *std::prev(after);
    return address < at.first + at.second.bytes ? &at : nullptr;
  }
};
OwnAllocations& own_allocations() {
  static auto& allocations = *new OwnAllocations;
  return allocations;
}

}  // namespace

void note_own_pages(const void* data, std::size_t bytes) {
  OwnAllocations& own = own_allocations();
  const std::lock_guard lock(own.mutex);
  own.by_begin.insert_or_assign(static_cast<const std::byte*>(data), OwnPages{.bytes = bytes});
}

void forget_own_pages(const void* data) {
  OwnAllocations& own = own_allocations();
  const std::lock_guard lock(own.mutex);
  own.by_begin.erase(static_cast<const std::byte*>(data));
}

bool are_own_pages(const void* data) {
  OwnAllocations& own = own_allocations();
  const std::lock_guard lock(own.mutex);
  const auto* const pages = own.find(data);
  return pages != nullptr && !pages->second.refused;
}

bool pin_own_pages(const CudaDevice& device, const void* data) {
  OwnAllocations& own = own_allocations();
  const std::lock_guard lock(own.mutex);
  auto* const found = own.find(data);
  if (found == nullptr) return false;
  auto& [begin, pages] = *found;
  if (pages.pinned == nullptr && !pages.refused) {
    pages.pinned = PinnedPages::of(device, begin, pages.bytes);
    pages.refused = pages.pinned == nullptr;
  }
  return pages.pinned != nullptr;
}

}  // namespace cuboid::detail
