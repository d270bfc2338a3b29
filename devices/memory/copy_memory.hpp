#pragma once

#include <cstddef>

namespace cuboid::detail {

/// Copies `height` lines of `width` bytes, whose beginnings are `from_pitch` and `to_pitch` bytes
/// apart, between memories of any kind; returns when that is done. What the program has given to
/// the device's default stream is done before. Throws Error(io) for a device that fails.
void copy_memory(const void* from, std::size_t from_pitch, void* to, std::size_t to_pitch,
                 std::size_t width, std::size_t height);

}  // namespace cuboid::detail
