#pragma once

#include "models/multiplication/multiplication_costs.hpp"

namespace cuboid::detail {

/// SUMMA with A stationary on a rows × columns grid, in panels of `width` columns of C. A rank
/// gathers the part of B that its inner indices need along its column of the grid: k/Q·n words,
/// without its own. It sums its own columns of its rows of C, of which the Q − 1 other ranks of its
/// row of the grid send theirs: m/P·⌈n/Q⌉ words each.
/// With B stationary the cost is that of the transposed product on the transposed grid.
///
/// Words along rows of the grid count as A's, words along columns as B's: sums travel like
/// operands, except for those of the last panel, which follow the last product.
MultiplicationCost stationary_cost(const ProductExtents& product, bool a_stays, double rows,
                                   double columns, double width);

}  // namespace cuboid::detail
