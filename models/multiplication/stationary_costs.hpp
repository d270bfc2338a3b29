#pragma once

#include "models/multiplication/multiplication_costs.hpp"

namespace cuboid::detail {

/// SUMMA with A stationary on a rows × columns grid, in panels of `width` columns of C: a rank
/// gathers its inner indices' part of B along its column of the grid, k/Q·n words less its own, and
/// sums its rows of C along its row, m/P·n less its own. With B stationary the same of the
/// transposed product on the transposed grid.
///
/// What travels along rows of the grid counts as A's words, what travels along columns as B's:
/// sums are under way like operands, except for the last panel's, which follow the last product.
MultiplicationCost stationary_cost(const ProductExtents& product, bool a_stays, double rows,
                                   double columns, double width);

}  // namespace cuboid::detail
