#include "mm/matrix/aligned_memory.hpp"

#include <cuboid/error.hpp>

#include "devices/memory/own_pages.hpp"

#include <cstdint>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>
#include <sys/mman.h>

namespace cuboid::detail {

namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t huge_from = 2 * huge_page;

[[noreturn]] void refuse(const std::string& bytes, std::string_view purpose) {
  throw Error(ErrorCode::out_of_memory,
              fmt::format("cannot allocate {} bytes for {}: use more nodes or a smaller problem",
                          bytes, purpose));
}

}  // namespace

void* allocate_aligned(std::size_t bytes, std::string_view purpose) {
  if (bytes == 0) return nullptr;
  const std::size_t multiple = bytes < huge_from ? alignment : huge_page;
  const std::size_t rounded = (bytes + multiple - 1) / multiple * multiple;
  void* memory = std::aligned_alloc(multiple, rounded);
  if (memory == nullptr) refuse(fmt::to_string(bytes), purpose);
  // Rows of a matrix are pages apart, so huge pages are faster, if the kernel has any. The
  // remainder is not worth a huge page of its own.
  if (multiple == huge_page) {
    madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);
    note_own_pages(memory, rounded);
  }
  return memory;
}

std::size_t checked_bytes(std::int64_t count, std::size_t size, std::string_view purpose) {
  // Allocators refuse more than PTRDIFF_MAX bytes. The number rounded up to the alignment must fit,
  // too.
  constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() - huge_page;
  if (static_cast<std::size_t>(count) > most / size) {
    refuse(fmt::format("{} x {}", count, size), purpose);
  }
  return static_cast<std::size_t>(count) * size;
}

}  // namespace cuboid::detail

namespace cuboid {

void FreeAligned::operator()(void* memory) const {
  // Only memory that begins at a huge page was recorded by note_own_pages().
  if (reinterpret_cast<std::uintptr_t>(memory) % detail::huge_page == 0)
    detail::forget_own_pages(memory);
  std::free(memory);
}

}  // namespace cuboid
