#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace cuboid {

/// A range of bytes of a message.
struct Slice {
  std::size_t offset = 0;
  std::size_t bytes = 0;
  std::size_t end() const { return offset + bytes; }
  bool operator==(const Slice&) const = default;
};

/// A part of the message that has one origin and one destination.
struct Block {
  Slice slice;  ///< where it lies in the message
  std::optional<int>
      before;  ///< the rank that has it; nullopt: every rank has a contribution, to be combined
  std::optional<int> after;  ///< the rank that must end with it; nullopt: every rank
};

/// What a collective must achieve: who has which block before, who after. Any forest or rounds can
/// be held against it.
struct Contract {
  int ranks = 1;
  std::vector<Block> blocks = {};

  static Contract broadcast(int ranks, std::size_t bytes, int root);
  static Contract reduce(int ranks, std::size_t bytes, int root);
  static Contract allreduce(int ranks, std::size_t bytes);
  /// `block_bytes`: bytes of each rank's block, by rank.
  static Contract allgather(std::span<const std::size_t> block_bytes);
  static Contract reduce_scatter(std::span<const std::size_t> block_bytes);
  static Contract gather(std::span<const std::size_t> block_bytes, int root);
  static Contract scatter(std::span<const std::size_t> block_bytes, int root);
};

}  // namespace cuboid
