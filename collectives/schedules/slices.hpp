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

}  // namespace cuboid::detail
