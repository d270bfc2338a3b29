#pragma once

#include "mm/decompositions/brick_grid.hpp"

namespace cuboid::detail {

/// CARMA's decomposition (000 §2, Demmel et al. 2013): the largest of m, n and k is split, then the
/// largest extent of the part, and so on until every rank has one. The original halves powers of
/// two; here the ranks' prime factors are used one by one, the largest first, where what it
/// stretches is evened out by those that follow. Extents that are equal are split in the order of
/// columns, rows, inner: sums of C cost the same words and arithmetic besides. Pure. Throws
/// Error(invalid_argument) for ranks < 1 or negative extents.
BrickGrid decompose_for_carma(const ProductSize& size, int ranks);

}  // namespace cuboid::detail
