#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

class CudaDevice;

/// Pages of the host that Cuboid has allocated itself, so that it knows where they end. The first
/// product on a device that uses them pins them until they are freed. In processes without a device
/// nothing is pinned. Any thread may call these functions.

/// Records an allocation.
void note_own_pages(const void* data, std::size_t bytes);
/// Unpins an allocation and forgets it. Call it before the memory is freed. Does nothing if the
/// allocation was not recorded.
void forget_own_pages(const void* data);
/// True if `data` lies in an allocation of Cuboid's that can be pinned.
bool are_own_pages(const void* data);
/// Pins the allocation that contains `data`, once. Returns false if it is none of Cuboid's, or if
/// the system refuses to pin it.
bool pin_own_pages(const CudaDevice& device, const void* data);

/// A range of addresses.
struct MemoryRange {
  const void* data = nullptr;
  std::size_t bytes = 0;
};

/// Memory of the caller that copies of a device use during the object's lifetime. CUDA refuses to
/// copy a range of which only a part is pinned. So ranges that share pages, such as blocks of one
/// matrix, are pinned as one. Threads that use parts of one array agree: the constructor waits
/// while others keep pinned what shares pages with a range and does not contain it, and pins
/// nothing that shares pages with what others use unpinned. Threads share what one has pinned.
class CopiedMemory {
 public:
  /// @param pin  whether to pin ranges that lie on the host, are not pinned yet and can be pinned.
  ///             Give false for what is used while this thread waits for other ranks: else threads
  ///             of other ranks may wait for this one.
  CopiedMemory(const CudaDevice& device, std::span<const MemoryRange> ranges, bool pin);
  ~CopiedMemory();
  CopiedMemory(const CopiedMemory&) = delete;
  CopiedMemory& operator=(const CopiedMemory&) = delete;

 private:
  struct UsedRange;
  struct UsedRanges;
  CopiedMemory() = default;

  std::vector<UsedRange*> ranges_;
};

}  // namespace cuboid::detail
