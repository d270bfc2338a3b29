#include "devices/memory/own_pages.hpp"

#include "devices/cuda/cuda_device.hpp"
#include "devices/memory/memory_space.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include <unistd.h>

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

struct Bytes {
  const std::byte *begin, *end;
};

bool share_pages(const Bytes& left, const Bytes& right) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = [](const Bytes& of) {
    return reinterpret_cast<std::uintptr_t>(of.begin) / page;
  };
  const auto last = [](const Bytes& of) {
    return (reinterpret_cast<std::uintptr_t>(of.end) - 1) / page;
  };
  return first(left) <= last(right) && first(right) <= last(left);
}

/// The ranges in order of address. Ranges that share pages become one range.
std::vector<Bytes> joined(std::span<const MemoryRange> ranges) {
  std::vector<Bytes> all;
  for (const MemoryRange& range : ranges) {
    const auto* const begin = static_cast<const std::byte*>(range.data);
    if (range.bytes > 0) all.push_back({begin, begin + range.bytes});
  }
  std::ranges::sort(all, {}, &Bytes::begin);
  std::vector<Bytes> joined;
  for (const Bytes& range : all) {
    if (!joined.empty() && share_pages(joined.back(), range)) {
      joined.back().end = std::max(joined.back().end, range.end);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
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

struct CopiedMemory::UsedRange {
  Bytes bytes;
  std::unique_ptr<PinnedPages> pinned;
  int users = 0;
};

/// State of the process. Never destroyed, like OwnAllocations.
struct CopiedMemory::UsedRanges {
  std::mutex mutex;
  std::condition_variable ended;
  std::list<UsedRange> all;

  static UsedRanges& of_process() {
    static auto& ranges = *new UsedRanges;
    return ranges;
  }
};

CopiedMemory::CopiedMemory(const CudaDevice& device, std::span<const MemoryRange> ranges, bool pin)
    : CopiedMemory() {
  const std::vector<Bytes> wanted = joined(ranges);
  UsedRanges& used = UsedRanges::of_process();
  std::unique_lock lock(used.mutex);
  const auto is_for = [&](const UsedRange& other, const Bytes& range) {
    return pin && other.pinned != nullptr && other.bytes.begin <= range.begin &&
           range.end <= other.bytes.end;
  };
  // All ranges or none, so that no two threads wait for each other.
  used.ended.wait(lock, [&] {
    return std::ranges::none_of(wanted, [&](const Bytes& range) {
      return std::ranges::any_of(used.all, [&](const UsedRange& other) {
        return other.pinned != nullptr && share_pages(other.bytes, range) && !is_for(other, range);
      });
    });
  });
  for (const Bytes& range : wanted) {
    auto found = std::ranges::find_if(used.all,
                                      [&](const UsedRange& other) { return is_for(other, range); });
    if (found == used.all.end()) {
      const bool can_pin = pin && memory_space_of(range.begin).kind == MemoryKind::host &&
                           std::ranges::none_of(used.all, [&](const UsedRange& other) {
                             return share_pages(other.bytes, range);
                           });
      const auto bytes = static_cast<std::size_t>(range.end - range.begin);
      used.all.push_front({range, can_pin ? PinnedPages::of(device, range.begin, bytes) : nullptr});
      found = used.all.begin();
    }
    ++found->users;
    ranges_.push_back(&*found);
  }
}

CopiedMemory::~CopiedMemory() {
  UsedRanges& used = UsedRanges::of_process();
  {
    const std::lock_guard lock(used.mutex);
    for (UsedRange* const range : ranges_) --range->users;
    std::erase_if(used.all, [](const UsedRange& range) { return range.users == 0; });
  }
  used.ended.notify_all();
}

}  // namespace cuboid::detail
