#include "base/copy_bytes.hpp"

#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace cuboid::detail {

namespace {

// Below this length glibc uses no string instructions: 128 times the bytes of its vectors, of which
// the shortest have 16.
constexpr std::size_t shortest_string = 2048;

std::uintptr_t address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

#ifdef __SSE2__
// Reads some vectors before it writes them: a read that follows a write to an address that differs
// by whole pages waits for it.
void copy_by_vectors(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t at_once = 4 * sizeof(__m128i);
  std::size_t done = 0;
  for (; done + at_once <= bytes; done += at_once) {
    const auto* source = reinterpret_cast<const __m128i*>(from + done);
    auto* target = reinterpret_cast<__m128i*>(to + done);
    const __m128i first = _mm_loadu_si128(source), second = _mm_loadu_si128(source + 1),
                  third = _mm_loadu_si128(source + 2), fourth = _mm_loadu_si128(source + 3);
    _mm_storeu_si128(target, first);
    _mm_storeu_si128(target + 1, second);
    _mm_storeu_si128(target + 2, third);
    _mm_storeu_si128(target + 3, fourth);
  }
  std::memcpy(to + done, from + done, bytes - done);
}
#else
void copy_by_vectors(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);  // no other processor has these string instructions
}
#endif

}  // namespace

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;  // there may be no address
  const bool overlap = address(to) - address(from) < bytes || address(from) - address(to) < bytes;
  if (bytes < shortest_string || overlap || !string_copy_is_slow(address(to), address(from))) {
    std::memmove(to, from, bytes);
  } else {
    copy_by_vectors(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
  }
}

}  // namespace cuboid::detail
