#pragma once

#include "mm/decompositions/brick_grid.hpp"

#include <optional>

namespace cuboid::detail {

/// CARMA's decomposition (Kwasniewski et al. 2019, §2, Demmel et al. 2013): the largest of m, n and
/// k is split, then the largest extent of the part, and so on, until every rank has one part. The
/// original halves powers of two. Here the prime factors of the number of ranks are used one by
/// one, the largest first, so that later factors even out its distortion. Equal extents are split
/// in the order columns, rows, inner, since sums of C cost the same words and additional
/// arithmetic. Pure. Throws Error(invalid_argument) for ranks < 1 or negative extents.
BrickGrid decompose_for_carma(const ProductSize& size, int ranks);

/// The same bricks, with each split divided into splits by the prime factors of its parts, largest
/// first. Faces are then gathered in steps in which the part that a rank holds grows as in CARMA:
/// it doubles in a step of two parts (Kwasniewski et al. 2019, §7.2 and §7.5).
/// @param only  if set, the axis whose splits alone are divided.
BrickGrid in_prime_splits(const BrickGrid& bricks, std::optional<WorkAxis> only = std::nullopt);

}  // namespace cuboid::detail
