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

/// Conditions of one block, cut into `parts` that have the block's origin and destination.
Conditions in_pieces(const Conditions& conditions, std::size_t parts, std::size_t element_bytes);

}  // namespace cuboid::detail
