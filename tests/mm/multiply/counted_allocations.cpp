#include "tests/mm/multiply/counted_allocations.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace {

thread_local std::uint64_t counted = 0;
thread_local std::uint64_t counted_bytes = 0;

}  // namespace

std::uint64_t cuboid::detail::test::allocations() {
  return counted;
}

std::uint64_t cuboid::detail::test::aligned_bytes() {
  return counted_bytes;
}

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++counted;
  return std::malloc(bytes > 0 ? bytes : 1);
}

void* operator new(std::size_t bytes) {
  if (void* const memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  ++counted;
  counted_bytes += bytes;
  return memalign(alignment, bytes);
}
