#pragma once

#include <cstddef>
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

/// The pre- and postcondition of a collective: which rank has which block before, and which after.
/// The checker verifies forests and rounds against it.
struct Conditions {
  int ranks = 1;
  std::vector<Block> blocks = {};

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
