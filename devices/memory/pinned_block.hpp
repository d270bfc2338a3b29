#pragma once

#include <cstddef>
#include <memory>

namespace cuboid::detail {

class CudaDevice;

/// Pinned memory of the host, through which a device's data passes on its way to the network and
/// back. Pinning takes longer than many copies, so the process keeps up to `most_kept` bytes of
/// blocks that were given back, and hands them out again. Any thread may take and give back.
class PinnedBlock {
 public:
  static constexpr std::size_t most_kept = std::size_t{256} << 20;

  /// Takes a block of at least `bytes` bytes, aligned to pages. If the system refuses to pin it,
  /// the memory is pageable: copies are slower then, but right. Throws std::bad_alloc.
  PinnedBlock(const CudaDevice& device, std::size_t bytes);
  /// Gives the block back. No copy from or to it may be under way.
  ~PinnedBlock();
  PinnedBlock(const PinnedBlock&) = delete;
  PinnedBlock& operator=(const PinnedBlock&) = delete;

  std::byte* data() const;

 private:
  struct Pages;
  friend struct KeptBlocks;
  std::unique_ptr<Pages> pages_;
};

}  // namespace cuboid::detail
