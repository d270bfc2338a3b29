#pragma once

#include <cstddef>
#include <cstdint>

namespace cuboid::detail {

/// True if string instructions copy slowly from one address to another. On AMD's Zen 3 and Zen 4
/// `rep movsb` copies 2 to 3 GB/s in place of 40 if the target lies 1 to 31 bytes beyond the
/// source, apart from whole pages. glibc's memcpy() of 4 KiB to 1 MiB uses it until version 2.39
/// (glibc's bug 30994), and so does the kernel. Arrays that are allocated one after the other,
/// whose lengths are powers of two, often lie like this.
constexpr bool string_copy_is_slow(std::uintptr_t to, std::uintptr_t from) {
  constexpr std::uintptr_t page = 4096, slow = 32;
  const std::uintptr_t beyond = (to - from) % page;
  return beyond > 0 && beyond < slow;
}

/// std::memmove(), but not by string instructions where they are slow. Without bytes, both
/// addresses may be nullptr.
void copy_bytes(void* to, const void* from, std::size_t bytes);

}  // namespace cuboid::detail
