#pragma once

#include <cstddef>
#include <string_view>

namespace cuboid::detail {

enum class MemoryKind {
  host,     ///< ordinary memory
  pinned,   ///< the host's memory, in pages that stay where they are: devices copy it by themselves
  device,   ///< a device's memory: the host must not touch it
  managed,  ///< memory of both: it moves to the host or device that touches it
};

/// "host", "pinned", "device" or "managed".
std::string_view to_string(MemoryKind kind);

/// The memory in which an address lies.
struct MemorySpace {
  MemoryKind kind = MemoryKind::host;
  int device = 0;  ///< the device that has or pinned the memory; meaningless for host memory

  bool operator==(const MemorySpace&) const = default;
  /// True if the host may touch the memory.
  bool on_host() const { return kind != MemoryKind::device; }
  /// True if a device works on the memory as its own.
  bool on_device() const { return kind == MemoryKind::device || kind == MemoryKind::managed; }
};

/// False if `data` cannot lie on a device, because the process has not loaded the driver. A driver
/// that the program has loaded by itself, for its own work, is taken into use here. An address of a
/// page that was asked for before costs a load from memory, another one some 30 ns. The driver is
/// looked for once after each loading of libraries.
bool may_lie_on_device(const void* data);

/// The memory in which an address lies. Asks the driver if this process has loaded it through
/// Cuboid; otherwise the result is `host`. The result is `host` also for an address that was freed.
/// Throws Error(io) if the driver fails, as it does when a device is lost, and the host cannot read
/// the address.
MemorySpace memory_space_of(const void* data);

/// The memory in which a buffer of `bytes` bytes lies; `host` for a buffer of which only a part is
/// pinned. Asks the driver once. Throws
/// Error(invalid_argument), which names pointer, length and allocation: for a device's memory, if
/// the buffer reaches beyond its allocation, or if this process cannot use the device; for memory
/// that the driver does not know, if this process cannot read its first byte, for example because
/// it was a device's and has been freed.
/// @param what  the name for the error message: "rank 1: allreduce of 80 bytes: input".
MemorySpace memory_space_of_buffer(const void* data, std::size_t bytes, std::string_view what);

/// Throws Error(invalid_argument) if the `bytes` bytes from `data` on reach beyond the device
/// allocation that contains `data`. The error names both. Nothing is known of other memory.
/// @param what  the name for the error message: "A".
void check_allocation(const void* data, std::size_t bytes, std::string_view what);

}  // namespace cuboid::detail
