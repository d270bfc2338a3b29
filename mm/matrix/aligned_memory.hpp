#pragma once

#include <cuboid/matrix.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// Uninitialised memory, aligned to 64 bytes (a cache line, an AVX-512 register). Long memory is
/// aligned to huge pages, and the kernel is asked for huge pages. nullptr for 0 bytes. Throws
/// Error(out_of_memory), which names `purpose` and the bytes, if there is not enough memory. Free
/// it by free_aligned().
void* allocate_aligned(std::size_t bytes, std::string_view purpose);
/// Frees memory of allocate_aligned(); does nothing for nullptr.

/// The number of bytes of `count` items of `size` bytes. Throws Error(out_of_memory), which names
/// `purpose`, if the number exceeds an address space.
std::size_t checked_bytes(std::int64_t count, std::size_t size, std::string_view purpose);

/// An array of uninitialised elements, aligned to 64 bytes. Owns its memory.
template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  /// @param purpose  the purpose of the memory, for the error message: "the local part of a 10x10
  ///                 matrix".
  AlignedArray(std::int64_t count, std::string_view purpose)
      : memory_(
            static_cast<T*>(allocate_aligned(checked_bytes(count, sizeof(T), purpose), purpose))) {}

  T* data() const { return memory_.get(); }

 private:
  std::unique_ptr<T, FreeAligned> memory_;
};

/// A vector in such memory, so that devices copy it at the full rate of the link.
template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class Other>
  AlignedAllocator(const AlignedAllocator<Other>&) {}
  T* allocate(std::size_t count) {
    return static_cast<T*>(allocate_aligned(count * sizeof(T), "a panel"));
  }
  void deallocate(T* memory, std::size_t) { FreeAligned{}(memory); }
  bool operator==(const AlignedAllocator&) const = default;
};
template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace cuboid::detail
