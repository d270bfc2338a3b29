#include "devices/memory/pinned_block.hpp"

#include "devices/cuda/cuda_device.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <new>
#include <utility>

namespace cuboid::detail {

namespace {

constexpr std::align_val_t page{4096};

struct FreePages {
  void operator()(std::byte* memory) const { ::operator delete[](memory, page); }
};

}  // namespace

struct PinnedBlock::Pages {
  std::size_t bytes;
  std::unique_ptr<std::byte[], FreePages> memory;
  std::unique_ptr<PinnedPages> pinned;
};

/// State of the process, like its memory. It is never destroyed: blocks may be given back at the
/// end of the program.
struct KeptBlocks {
  std::mutex mutex;
  std::deque<std::unique_ptr<PinnedBlock::Pages>> blocks;  // the longest kept first
  std::size_t bytes = 0;

  static KeptBlocks& of_process() {
    static auto& kept = *new KeptBlocks;
    return kept;
  }

  /// The smallest kept block that holds `bytes` bytes and is at most twice as long; nullptr if
  /// there is none.
  std::unique_ptr<PinnedBlock::Pages> take(std::size_t bytes_wanted) {
    const std::lock_guard lock(mutex);
    auto best = blocks.end();
    for (auto block = blocks.begin(); block != blocks.end(); ++block) {
      const std::size_t length = (*block)->bytes;
      if (length < bytes_wanted || length > 2 * bytes_wanted) continue;
      if (best == blocks.end() || length < (*best)->bytes) best = block;
    }
    if (best == blocks.end()) return nullptr;
    auto found = std::move(*best);
    blocks.erase(best);
    bytes -= found->bytes;
    return found;
  }

  void keep(std::unique_ptr<PinnedBlock::Pages> block) {
    std::deque<std::unique_ptr<PinnedBlock::Pages>> too_many;  // unpinned without the lock
    const std::lock_guard lock(mutex);
    bytes += block->bytes;
    blocks.push_back(std::move(block));
    while (bytes > PinnedBlock::most_kept) {
      bytes -= blocks.front()->bytes;
      too_many.push_back(std::move(blocks.front()));
      blocks.pop_front();
    }
  }
};

PinnedBlock::PinnedBlock(const CudaDevice& device, std::size_t bytes) {
  constexpr std::size_t granule = std::size_t{64} << 10;
  const std::size_t rounded = std::max((bytes + granule - 1) / granule, std::size_t{1}) * granule;
  pages_ = KeptBlocks::of_process().take(rounded);
  if (pages_ != nullptr) return;
  pages_ = std::make_unique<Pages>();
  pages_->bytes = rounded;
  pages_->memory.reset(new (page) std::byte[rounded]);
  pages_->pinned = PinnedPages::of(device, pages_->memory.get(), rounded);
}

PinnedBlock::~PinnedBlock() {
  KeptBlocks::of_process().keep(std::move(pages_));
}

std::byte* PinnedBlock::data() const {
  return pages_->memory.get();
}

}  // namespace cuboid::detail
