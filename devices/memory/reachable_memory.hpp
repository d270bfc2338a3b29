#pragma once

#include "base/recent_cache.hpp"
#include "devices/cuda/cuda_device.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace cuboid::detail {

/// A part of a device's memory, as its owner tells other ranks of the node of it. Another process
/// opens the whole allocation by its handle; another thread of the process uses the address itself.
struct ReachablePart {
  CuMemoryHandle handle;         ///< of the allocation; all zero if only threads are told
  std::uint64_t address = 0;     ///< of the part, in the owner's process
  std::uint64_t bytes = 0;       ///< of the part; 0: there is none
  std::uint64_t allocation = 0;  ///< where the allocation begins in the owner's process
  std::uint64_t allocation_bytes = 0;
  std::int64_t device = 0;  ///< the device's number in the owner's process
};

/// What others must know of a part of a device's memory.
/// @param by_processes  whether other processes, too, are to reach it
/// @param reason        says why they cannot, where the result is nullopt: memory that
///         cudaMallocAsync or CUDA's virtual memory functions have allocated has no handle
std::optional<ReachablePart> reachable_part(const void* data, std::size_t bytes, bool by_processes,
                                            std::string& reason);

/// The allocations of other processes that a device of this process has opened. Opening takes far
/// longer than a copy, so allocations stay open: a handle names one allocation, also where a later
/// one has the same address. An allocation is closed when its process tells of another one at its
/// place, for then it was freed; when `most_open` others were used since; or with this object.
/// Until then the driver keeps its memory, even if its owner has freed it.
class OpenedMemory {
 public:
  static constexpr std::size_t most_open = 256;

  /// An allocation that stays open during the object's lifetime.
  class Opened;

  /// A part of another rank's memory as this process reaches it.
  struct ReachedPart {
    std::byte* data = nullptr;
    std::shared_ptr<const Opened> open;  ///< nothing for memory of this process
  };
  /// @param process  the owner's process; nullopt for a thread of this process
  /// @param reason   says why the device cannot reach the part, where the result is nullopt
  std::optional<ReachedPart> reach(const CudaDevice& device, const ReachablePart& part,
                                   std::optional<std::int64_t> process, std::string& reason);

 private:
  struct Key {
    const CudaDevice* device;
    std::int64_t process;
    CuMemoryHandle handle;
    bool operator==(const Key&) const = default;
  };

  void close_what_was_freed(const Key& key, const ReachablePart& part);

  RecentCache<Key, std::shared_ptr<const Opened>> opened_{most_open};
};

}  // namespace cuboid::detail
