#pragma once

#include <cuboid/error.hpp>

#include <algorithm>
#include <cstddef>

#include <sys/mman.h>
#include <unistd.h>

namespace cuboid::detail::smpi {

/// A range of any length whose addresses all map to the same few pages: for messages whose length
/// matters and whose content does not.
class FoldedMemory {
 public:
  explicit FoldedMemory(std::size_t bytes) : bytes_((bytes + fold - 1) / fold * fold) {
    if (bytes_ == 0) return;
    static const int pages = make_pages();
    memory_ = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (std::size_t at = 0; memory_ != MAP_FAILED && at < bytes_; at += fold) {
      void* const where = static_cast<std::byte*>(memory_) + at;
      if (mmap(where, fold, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, pages, 0) == MAP_FAILED)
        memory_ = MAP_FAILED;
    }
    if (memory_ == MAP_FAILED) throw Error(ErrorCode::out_of_memory, "folded memory");
  }
  ~FoldedMemory() {
    if (bytes_ > 0) munmap(memory_, bytes_);
  }
  FoldedMemory(const FoldedMemory&) = delete;
  FoldedMemory& operator=(const FoldedMemory&) = delete;

  double* doubles() { return static_cast<double*>(memory_); }

 private:
  static constexpr std::size_t fold = std::size_t{4} << 20;

  static int make_pages() {
    const int descriptor = memfd_create("folded", 0);
    if (descriptor < 0 || ftruncate(descriptor, fold) != 0)
      throw Error(ErrorCode::out_of_memory, "folded memory");
    return descriptor;
  }

  std::size_t bytes_;
  void* memory_ = nullptr;
};

}  // namespace cuboid::detail::smpi
