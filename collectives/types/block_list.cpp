#include "collectives/types/block_list.hpp"

#include <numeric>
#include <utility>

namespace cuboid::detail {

BlockList BlockList::equal(int ranks, std::size_t count) {
  BlockList blocks;
  blocks.blocks_ = static_cast<std::size_t>(ranks);
  blocks.count_ = count;
  return blocks;
}

BlockList::BlockList(std::vector<std::size_t> counts, std::vector<std::size_t> displacements)
    : blocks_(counts.size()), counts_(std::move(counts)), displacements_(std::move(displacements)) {
  if (counts_.empty()) return;
  for (std::size_t block = 0; block < blocks_; ++block) {
    if (counts_[block] != counts_[0] || displacements_[block] != block * counts_[0]) return;
  }
  *this = equal(static_cast<int>(blocks_), counts_[0]);
}

BlockList BlockList::adjacent(std::vector<std::size_t> counts) {
  std::vector<std::size_t> displacements(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), displacements.begin(), std::size_t{0});
  return {std::move(counts), std::move(displacements)};
}

std::vector<std::size_t> BlockList::counts(std::size_t factor) const {
  std::vector<std::size_t> all(blocks_);
  for (std::size_t block = 0; block < blocks_; ++block) all[block] = count(block) * factor;
  return all;
}

std::size_t BlockList::total() const {
  if (counts_.empty()) return blocks_ * count_;
  return std::reduce(counts_.begin(), counts_.end());
}

bool BlockList::is_even() const {
  for (std::size_t block = 0; block < displacements_.size(); ++block) {
    if (displacements_[block] != block * displacement(1 % blocks_)) return false;
  }
  return true;
}

}  // namespace cuboid::detail
