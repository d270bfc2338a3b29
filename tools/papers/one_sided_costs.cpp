#include "tools/papers/one_sided_costs.hpp"

#include <algorithm>
#include <cmath>

namespace cuboid::detail {

OneSidedSeconds one_sided_seconds(const Hockney& per_element, double multiplications_per_second,
                                  const ProductExtents& product, double rows, double columns) {
  const auto [m, n, k] = product;
  const double ranks = rows * columns;
  return {.compute = product.work() / ranks / multiplications_per_second,
          .data = (m * k / ranks * columns + k * n / ranks * rows) * per_element.beta,
          .latency = (rows + columns) * per_element.alpha};
}

double shown_share(const OneSidedSeconds& seconds) {
  const double communicate = seconds.data + seconds.latency;
  return communicate > 0 ? std::max(0.0, 1 - seconds.compute / communicate) : 0;
}

double overlapped_seconds(const OneSidedSeconds& seconds, double shown) {
  return seconds.compute + shown * seconds.data + seconds.latency;
}

double one_sided_efficiency(double n, double ranks, double transfer_per_multiplication) {
  return 1 / (1 + 2 * std::sqrt(ranks) / n * transfer_per_multiplication);
}

double isoefficiency(double efficiency, double ranks, double transfer_per_multiplication) {
  const double n =
      2 * std::sqrt(ranks) * transfer_per_multiplication * efficiency / (1 - efficiency);
  return n * n * n;
}

}  // namespace cuboid::detail
