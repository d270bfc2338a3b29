#include <cuboid/base/error.hpp>
#include <cuboid/mm/aligned_memory.hpp>

#include <limits>

#include <fmt/format.h>

namespace cuboid {

namespace {

constexpr std::size_t alignment = 64;

[[noreturn]] void refuse(const std::string& bytes, std::string_view purpose) {
  throw Error(ErrorCode::out_of_memory,
              fmt::format("cannot get {} bytes for {}: use more nodes or a smaller problem", bytes,
                          purpose));
}

}  // namespace

void* allocate_aligned(std::size_t bytes, std::string_view purpose) {
  if (bytes == 0) return nullptr;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) refuse(fmt::to_string(bytes), purpose);
  return memory;
}

std::size_t checked_bytes(std::int64_t count, std::size_t size, std::string_view purpose) {
  // Allocators refuse more than PTRDIFF_MAX; the round-up to the alignment must fit too.
  constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() - alignment;
  if (static_cast<std::size_t>(count) > most / size) {
    refuse(fmt::format("{} x {}", count, size), purpose);
  }
  return static_cast<std::size_t>(count) * size;
}

}  // namespace cuboid
