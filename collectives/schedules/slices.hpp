#pragma once

#include "collectives/schedules/conditions.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// Cuts a slice into consecutive slices of whole elements, in proportion to `shares`.
/// `element_bytes` divides the slice.
std::vector<Slice> cut(Slice whole, std::span<const double> shares, std::size_t element_bytes);

/// Cuts a slice into `parts` whose elements differ by at most one, longer ones first.
std::vector<Slice> cut(Slice whole, std::size_t parts, std::size_t element_bytes);

/// A part of a block.
struct Piece {
  std::size_t block = 0;
  Slice slice = {};  ///< of the block
};

/// Conditions whose blocks are pieces of the blocks of others, with their origins and destinations;
/// in this order they lie in the message.
Conditions in_pieces(const Conditions& conditions, std::span<const Piece> pieces);

/// The one block of conditions in `parts` pieces whose elements differ by at most one.
std::vector<Piece> equal_pieces(const Conditions& conditions, std::size_t parts,
                                std::size_t element_bytes);
Conditions in_pieces(const Conditions& conditions, std::size_t parts, std::size_t element_bytes);

/// Consecutive blocks that lie one after the other in the message, and travel in one message.
struct BlockRun {
  std::size_t first_block = 0;
  std::size_t end_block = 0;
  std::size_t bytes = 0;
};

/// Blocks in as few runs as can be, of about equal length: a short last one would cost as much as
/// the others, and be waited for like them.
/// @param blocks       numbers of blocks of the conditions, ascending.
/// @param longest_run  bytes, at most, of more than one block.
std::vector<BlockRun> runs_of(std::span<const int> blocks, const Conditions& conditions,
                              std::size_t longest_run);

}  // namespace cuboid::detail
