#pragma once

#include "tools/papers/decomposition_costs.hpp"

#include <algorithm>
#include <cstdint>

namespace cuboid::detail {

/// An elementary subcomputation of the sequential schedule: the outer product of part of a column
/// of A and part of a row of B, added to a tile of C.
struct OuterProduct {
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  std::int64_t first_column = 0;
  std::int64_t columns = 0;
  std::int64_t inner = 0;  ///< the column of A and the row of B
};

/// The extents of a product that a schedule goes through.
struct ScheduledProduct {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

/// Calls visit(OuterProduct) for each outer product, in the order of the near-optimal sequential
/// schedule (Kwasniewski et al. 2019, listing 1): tile by tile of C, and the inner dimension within
/// a tile. Tiles at the borders are smaller.
template <class Visit>
void for_each_outer_product(const ScheduledProduct& product, const SequentialTile& tile,
                            const Visit& visit) {
  const auto a = static_cast<std::int64_t>(tile.rows), b = static_cast<std::int64_t>(tile.columns);
  for (std::int64_t row = 0; row < product.m; row += a) {
    for (std::int64_t column = 0; column < product.n; column += b) {
      for (std::int64_t inner = 0; inner < product.k; ++inner)
        visit(OuterProduct{row, std::min(a, product.m - row), column,
                           std::min(b, product.n - column), inner});
    }
  }
}

/// The words of A and B that the schedule loads, and of C that it stores. With tiles that divide
/// the product: mnk·(a + b)/(ab) + mn.
double words_of_schedule(const ScheduledProduct& product, const SequentialTile& tile);

}  // namespace cuboid::detail
