#pragma once

#include "collectives/schedules/conditions.hpp"

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

/// A part of a block.
struct Piece {
  std::size_t block = 0;
  Slice slice = {};  ///< relative to the block's beginning
};

/// Conditions whose blocks are pieces of other conditions' blocks, with the same origins and
/// destinations. The pieces lie in the message in this order.
Conditions in_pieces(const Conditions& conditions, std::span<const Piece> pieces);

/// The single block of conditions in `parts` pieces whose numbers of elements differ by at most
/// one.
std::vector<Piece> equal_pieces(const Conditions& conditions, std::size_t parts,
                                std::size_t element_bytes);
Conditions in_pieces(const Conditions& conditions, std::size_t parts, std::size_t element_bytes);

/// Blocks from `first_block` to before `end_block`, which lie one after another and travel in one
/// message.
struct BlockRun {
  std::size_t first_block = 0;
  std::size_t end_block = 0;
  std::size_t bytes = 0;
};

/// Puts blocks into as few runs as possible, of about equal length. A short last run would cost as
/// much latency as the others.
/// @param blocks       indices of the conditions' blocks, in ascending order.
/// @param longest_run  the most bytes of a run of several blocks.
std::vector<BlockRun> runs_of(std::span<const int> blocks, const Conditions& conditions,
                              std::size_t longest_run);

}  // namespace cuboid::detail
