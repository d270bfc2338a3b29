#include "models/multiplication/stationary_costs.hpp"

#include "models/messages/tree_steps.hpp"
#include "models/multiplication/product_extents.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace cuboid::detail {

namespace {

MultiplicationCost a_stationary_cost(const ProductExtents& product, double rows, double columns,
                                     double width) {
  const auto [m, n, k] = product;
  const double height = part(m, rows), depth = part(k, columns);
  const double steps = std::max(1.0, part(n, width)), panel = part(n, steps);
  const double gathered = depth * lacking(n, rows), sums = summed(height, n, columns);
  MultiplicationCost cost{.work = height * depth * n,
                          .a_words = sums * (steps - 1) / steps,
                          .b_words = gathered,
                          .c_words = sums / steps,
                          .rounds = steps,
                          .result = height * panel,
                          .operands = depth * (height * steps + n)};
  cost.messages = steps * (steps_of_tree(rows) + columns - 1);
  cost.copied = depth * part(n, rows) + height * part(n, columns);
  // Two panels of each kind are in memory; of C also the sums of a rank's own part and what is
  // added to it. Each run of columns with one owner in both matrices gives each panel a part,
  // rounded up.
  const double runs = rows + columns - std::gcd(static_cast<int>(rows), static_cast<int>(columns));
  const double widest = std::min(n, panel + runs - 1);
  cost.memory = height * depth + depth * part(n, rows) + height * part(n, columns) +
                2 * (depth + (columns > 1 ? 2 : 1) * height) * widest;
  return cost;
}

}  // namespace

MultiplicationCost stationary_cost(const ProductExtents& product, bool a_stays, double rows,
                                   double columns, double width) {
  if (a_stays) return a_stationary_cost(product, rows, columns, width);
  const auto [m, n, k] = product;
  MultiplicationCost cost = a_stationary_cost({n, m, k}, columns, rows, width);
  std::swap(cost.a_words, cost.b_words);
  // Rows of C are packed before they are summed.
  if (rows > 1) cost.copied += part(n, columns) * m;
  if (rows > 1) cost.memory += part(n, columns) * std::min(width, m);
  return cost;
}

}  // namespace cuboid::detail
