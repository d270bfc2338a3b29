#include "tools/papers/sequential_schedule.hpp"

namespace cuboid::detail {

double words_of_schedule(const ScheduledProduct& product, const SequentialTile& tile) {
  std::int64_t words = 0;
  for_each_outer_product(product, tile, [&](const OuterProduct& one) {
    words += one.rows + one.columns;
    if (one.inner + 1 == product.k) words += one.rows * one.columns;
  });
  return static_cast<double>(words);
}

}  // namespace cuboid::detail
