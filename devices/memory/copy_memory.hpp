#pragma once

#include <cstddef>

namespace cuboid::detail {

/// Copies `height` lines of `width` bytes between memories of any kind, and returns when the copy
/// is done. The lines begin `from_pitch` and `to_pitch` bytes apart. Work that the program has
/// given to the device's default stream is done before the copy. Throws Error(io) if a device
/// fails.
void copy_memory(const void* from, std::size_t from_pitch, void* to, std::size_t to_pitch,
                 std::size_t width, std::size_t height);
/// The same for `bytes` bytes in a row.
inline void copy_memory(const void* from, void* to, std::size_t bytes) {
  copy_memory(from, bytes, to, bytes, bytes, 1);
}

}  // namespace cuboid::detail
