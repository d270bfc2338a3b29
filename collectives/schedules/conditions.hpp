#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// A range of bytes of a message.
struct Slice {
  std::size_t offset = 0;
  std::size_t bytes = 0;
  std::size_t end() const { return offset + bytes; }
  bool operator==(const Slice&) const = default;
};

/// A part of the message that has one origin and one destination.
struct Block {
  Slice slice;                ///< where it lies in the message
  std::optional<int> before;  ///< the rank that has it; nullopt: every rank has a contribution, and
                              ///< contributions are combined
  std::optional<int> after;   ///< the rank that must end with it; nullopt: every rank
};

/// The blocks of a message, one after another. Equal blocks, one for each rank, are not listed.
class BlockSequence {
 public:
  /// Whether block i of equal() is what rank i has before, or what it must have after.
  enum class Owner { before, after };

  class BlockIterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = Block;

    BlockIterator() = default;
    BlockIterator(const BlockSequence& blocks, std::size_t block)
        : blocks_(&blocks), block_(block) {}
    Block operator*() const { return (*blocks_)[block_]; }
    BlockIterator& operator++() {
      ++block_;
      return *this;
    }
    BlockIterator operator++(int) { return {*blocks_, block_++}; }
    bool operator==(const BlockIterator&) const = default;

   private:
    const BlockSequence* blocks_ = nullptr;
    std::size_t block_ = 0;
  };

  BlockSequence() = default;
  BlockSequence(std::initializer_list<Block> blocks) : listed_(blocks) {}
  /// `count` blocks of `bytes` bytes. Block i is that of rank i; `other` is the rank of all blocks
  /// on the other side.
  static BlockSequence equal(std::size_t count, std::size_t bytes, Owner owner,
                             std::optional<int> other = {});

  std::size_t size() const { return listed_.size() + count_; }
  bool empty() const { return size() == 0; }
  Block operator[](std::size_t block) const { return count_ == 0 ? listed_[block] : even(block); }
  /// The same. Throws std::out_of_range if there is no such block.
  Block at(std::size_t block) const;
  Block front() const { return (*this)[0]; }
  Block back() const { return (*this)[size() - 1]; }
  BlockIterator begin() const { return {*this, 0}; }
  BlockIterator end() const { return {*this, size()}; }
  /// Where a block begins; for size(): where the last block ends.
  std::size_t offset(std::size_t block) const {
    if (count_ > 0) return block * bytes_;
    return block < listed_.size() ? listed_[block].slice.offset : listed_.back().slice.end();
  }
  /// The bytes of each block, where blocks are not listed.
  std::optional<std::size_t> equal_bytes() const {
    return count_ == 0 ? std::nullopt : std::optional(bytes_);
  }

  void reserve(std::size_t blocks) { listed_.reserve(blocks); }
  /// Adds a block to listed blocks.
  void push_back(const Block& block) { listed_.push_back(block); }

 private:
  Block even(std::size_t block) const;

  std::vector<Block> listed_;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  Owner owner_ = Owner::before;
  std::optional<int> other_;
};

/// The pre- and postcondition of a collective: which rank has which block before, and which after.
/// The checker verifies forests and rounds against it.
struct Conditions {
  int ranks = 1;
  BlockSequence blocks = {};

  static Conditions broadcast(int ranks, std::size_t bytes, int root);
  static Conditions reduce(int ranks, std::size_t bytes, int root);
  static Conditions allreduce(int ranks, std::size_t bytes);
  /// @param block_bytes  by rank, the bytes of its block.
  static Conditions allgather(std::span<const std::size_t> block_bytes);
  static Conditions reduce_scatter(std::span<const std::size_t> block_bytes);
  static Conditions gather(std::span<const std::size_t> block_bytes, int root);
  static Conditions scatter(std::span<const std::size_t> block_bytes, int root);
};

/// The bytes of the longest block; 0 if there are no blocks.
std::size_t longest_block(const Conditions& conditions);

}  // namespace cuboid::detail
