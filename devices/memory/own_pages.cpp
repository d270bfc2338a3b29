#include "devices/memory/own_pages.hpp"

#include "devices/cuda/cuda_device.hpp"
#include "devices/memory/memory_space.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace cuboid::detail {

namespace {

struct OwnPages {
  std::size_t bytes = 0;
  std::unique_ptr<PinnedPages> pinned = nullptr;
  bool refused = false;
};

/// State of the process, like its memory. It is never destroyed: matrices may outlive everything
/// else.
struct OwnAllocations {
  std::mutex mutex;
  std::map<const std::byte*, OwnPages> by_begin;

  /// The allocation that contains an address; nullptr if it is none of Cuboid's allocations.
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

/// Memory of the caller that is pinned while products use it. Never destroyed, like OwnAllocations.
struct PinnedForNow {
  struct Pages {
    std::size_t bytes = 0;
    std::weak_ptr<PinnedPages> pages;
  };
  std::mutex mutex;
  std::map<const std::byte*, Pages> by_begin;
};
PinnedForNow& pinned_for_now() {
  static auto& pinned = *new PinnedForNow;
  return pinned;
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

std::shared_ptr<PinnedPages> pin_for_now(const CudaDevice& device, const void* data,
                                         std::size_t bytes) {
  PinnedForNow& pinned = pinned_for_now();
  std::unique_lock lock(pinned.mutex);
  const auto* const begin = static_cast<const std::byte*>(data);
  const auto holds_it = [&](const auto& entry) {
    return entry.first <= begin && begin + bytes <= entry.first + entry.second.bytes;
  };
  for (auto found = std::ranges::find_if(pinned.by_begin, holds_it); found != pinned.by_begin.end();
       found = std::ranges::find_if(pinned.by_begin, holds_it)) {
    if (auto pages = found->second.pages.lock()) return pages;
    // The last user of these pages is about to unpin them.
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
  }
  if (memory_space_of(data).kind != MemoryKind::host) return nullptr;
  PinnedPages* const pages = PinnedPages::of(device, data, bytes).release();
  if (pages == nullptr) return nullptr;
  // Unpins under the lock: a thread that finds the memory pinned here keeps it pinned.
  const std::shared_ptr<PinnedPages> shared(pages, [begin](PinnedPages* last) {
    PinnedForNow& from = pinned_for_now();
    const std::lock_guard unpinning(from.mutex);
    from.by_begin.erase(begin);
    delete last;
  });
  pinned.by_begin[begin] = {bytes, shared};
  return shared;
}

}  // namespace cuboid::detail
