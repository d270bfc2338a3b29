#pragma once

#include "collectives/schedules/block_set.hpp"
#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/pieces.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// Cuts a slice into consecutive slices of whole elements, in proportion to `shares`.
/// `element_bytes` divides the slice.
std::vector<Slice> cut(Slice whole, std::span<const double> shares, std::size_t element_bytes);

/// Cuts a slice into `parts` slices whose numbers of elements differ by at most one, longer slices
/// first.
std::vector<Slice> cut(Slice whole, std::size_t parts, std::size_t element_bytes);

/// Blocks from `first_block` to before `end_block`, which lie one after another and travel in one
/// message.
struct BlockRun {
  std::size_t first_block = 0;
  std::size_t end_block = 0;
  std::size_t bytes = 0;

  BlockSet blocks() const {
    return BlockSet::consecutive(static_cast<int>(first_block),
                                 static_cast<int>(end_block - first_block));
  }
};

/// Puts blocks into as few runs as possible, of about equal length. A short last run would cost as
/// much latency as the others.
/// @param longest_run  the most bytes of a run of several blocks.
std::vector<BlockRun> runs_of(const BlockSet& blocks, const Pieces& pieces,
                              std::size_t longest_run);
/// The same of conditions whose blocks lie one after another.
std::vector<BlockRun> runs_of(const BlockSet& blocks, const Conditions& conditions,
                              std::size_t longest_run);

/// The bytes of these blocks together, wherever they lie.
std::size_t bytes_of(const BlockSet& blocks, const Conditions& conditions);

}  // namespace cuboid::detail
