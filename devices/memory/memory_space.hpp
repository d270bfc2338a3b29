#pragma once

#include <cstddef>
#include <string_view>

namespace cuboid::detail {

enum class MemoryKind {
  host,     ///< ordinary memory
  pinned,   ///< of the host, in pages that stay where they are: devices copy it by themselves
  device,   ///< of a device: the host must not touch it
  managed,  ///< of both: it moves to whoever touches it
};

/// "host", "pinned", "device" or "managed".
std::string_view to_string(MemoryKind kind);

/// Where memory lies.
struct MemorySpace {
  MemoryKind kind = MemoryKind::host;
  int device = 0;  ///< whose it is or that pinned it; meaningless for host memory

  bool operator==(const MemorySpace&) const = default;
  /// True if the host may touch it.
  bool on_host() const { return kind != MemoryKind::device; }
};

/// Where an address lies. Asks the driver if this process has loaded it through Cuboid, and is
/// `host` at once if not. An address that was freed is `host`, too.
MemorySpace memory_space_of(const void* data);

/// Throws Error(invalid_argument) if `bytes` from `data` on reach beyond the device allocation that
/// `data` lies in, naming both. Of other memory nothing is known.
/// @param what  as the error names it: "A".
void check_allocation(const void* data, std::size_t bytes, std::string_view what);

}  // namespace cuboid::detail
