#include "collectives/schedules/block_set.hpp"

namespace cuboid::detail {

BlockSet::BlockSet(std::span<const int> blocks) {
  for (const int block : blocks) push_back(block);
}

BlockSet BlockSet::consecutive(int first, int count) {
  BlockSet blocks;
  if (count > 0) blocks.append({first, count, 1});
  return blocks;
}

void BlockSet::push_back(int block) {
  if (!empty() && block > back()) {
    Progression& last = this->last();
    if (last.count == 1) last.stride = block - last.first;
    if (block == last.at(last.count)) {
      ++last.count;
      ++size_;
      return;
    }
    // Any two numbers have a distance; only a third one shows that they are a progression.
    if (last.count == 2) {
      const int second = last.last();
      last = {last.first, 1, 1};
      --size_;
      return append({second, 2, block - second});
    }
  }
  append({block, 1, 1});
}

void BlockSet::push_back(const Progression& progression) {
  if (progression.count == 1) return push_back(progression.first);
  if (!empty()) {
    Progression& last = this->last();
    const bool goes_on = last.count > 1 && last.stride == progression.stride &&
                         last.at(last.count) == progression.first;
    if (goes_on) {
      last.count += progression.count;
      size_ += static_cast<std::size_t>(progression.count);
      return;
    }
  }
  append(progression);
}

// As a progression of its own.
void BlockSet::append(const Progression& progression) {
  if (!several_.empty()) {
    several_.push_back(progression);
  } else if (empty()) {
    only_ = progression;
  } else {
    several_ = {only_, progression};
  }
  size_ += static_cast<std::size_t>(progression.count);
}

}  // namespace cuboid::detail
