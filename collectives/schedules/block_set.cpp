#include "collectives/schedules/block_set.hpp"

namespace cuboid::detail {

BlockSet::BlockSet(std::span<const int> blocks) {
  for (const int block : blocks) push_back(block);
}

BlockSet BlockSet::consecutive(int first, int count) {
  BlockSet blocks;
  if (count > 0) blocks.progressions_.push_back({first, count, 1});
  blocks.size_ = static_cast<std::size_t>(count);
  return blocks;
}

void BlockSet::push_back(int block) {
  ++size_;
  if (!progressions_.empty() && block > back()) {
    Progression& last = progressions_.back();
    if (last.count == 1) last.stride = block - last.first;
    if (block == last.at(last.count)) {
      ++last.count;
      return;
    }
    // Any two numbers have a distance; only a third one shows that they are a progression.
    if (last.count == 2) {
      const int second = last.last();
      last = {last.first, 1, 1};
      progressions_.push_back({second, 2, block - second});
      return;
    }
  }
  progressions_.push_back({block, 1, 1});
}

void BlockSet::push_back(const Progression& progression) {
  if (progression.count == 1) return push_back(progression.first);
  size_ += static_cast<std::size_t>(progression.count);
  if (!progressions_.empty()) {
    Progression& last = progressions_.back();
    const bool goes_on = last.count > 1 && last.stride == progression.stride &&
                         last.at(last.count) == progression.first;
    if (goes_on) {
      last.count += progression.count;
      return;
    }
  }
  progressions_.push_back(progression);
}

}  // namespace cuboid::detail
