#pragma once

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// Where the blocks of a buffer lie, one for each rank, in elements. Equal blocks that follow one
/// another take no memory, however many ranks there are.
class BlockList {
 public:
  BlockList() = default;  ///< of a buffer without a block for each rank
  /// Blocks of these lengths that begin at these offsets.
  BlockList(std::vector<std::size_t> counts, std::vector<std::size_t> displacements);
  /// Blocks of these lengths that follow one another.
  static BlockList adjacent(std::vector<std::size_t> counts);
  /// `ranks` blocks of `count` elements that follow one another.
  static BlockList equal(int ranks, std::size_t count);

  bool empty() const { return blocks_ == 0; }
  std::size_t size() const { return blocks_; }
  /// The elements of a block.
  std::size_t count(std::size_t block) const { return counts_.empty() ? count_ : counts_[block]; }
  std::size_t displacement(std::size_t block) const {
    return counts_.empty() ? block * count_ : displacements_[block];
  }
  /// The elements of each block, in a list, times a factor.
  std::vector<std::size_t> counts(std::size_t factor = 1) const;
  /// The elements of all blocks together.
  std::size_t total() const;
  /// True if the blocks begin at equal distances, the first at 0.
  bool is_even() const;

  bool operator==(const BlockList&) const = default;

 private:
  std::size_t blocks_ = 0;
  std::size_t count_ = 0;  // of each block, if there are no lists
  std::vector<std::size_t> counts_;
  std::vector<std::size_t> displacements_;
};

}  // namespace cuboid::detail
