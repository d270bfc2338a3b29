#include "models/multiplication/lower_bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace cuboid::detail {

double sequential_bound(const ProductExtents& product, double memory) {
  return 2 * product.work() / std::sqrt(memory) + product.m * product.n;
}

double parallel_bound(const ProductExtents& product, double ranks, double memory) {
  const double work = product.work() / ranks;
  const double a = std::min(std::sqrt(memory), std::cbrt(work));
  return a > 0 ? 2 * work / a + a * a : 0;
}

double irony_toledo_tiskin_bound(const ProductExtents& product, double ranks, double memory) {
  const double words = product.work() / (2 * std::sqrt(2.0) * ranks * std::sqrt(memory)) - memory;
  return std::max(words, 0.0);
}

double least_received(const ProductExtents& product, double ranks, std::optional<double> memory) {
  std::array<double, 3> extents{product.m, product.n, product.k};
  std::ranges::sort(extents, std::greater<>());
  const auto [d1, d2, d3] = extents;
  if (d3 == 0) return 0;
  const double work = product.work() / ranks;
  const double owned = product.elements() / ranks;
  double words = 0;
  if (ranks <= d1 / d2) {
    words = (1 - 1 / ranks) * d2 * d3;
  } else if (ranks <= d1 * d2 / (d3 * d3)) {
    words = 2 * std::sqrt(d3 * work) - (d1 + d2) * d3 / ranks;
  } else {
    words = 3 * std::pow(work, 2.0 / 3) - owned;
  }
  if (memory && *memory > 0 && *memory < std::pow(work, 2.0 / 3))
    words = std::max(words, 2 * work / std::sqrt(*memory) + *memory - owned);
  return std::max(words, 0.0);
}

CommunicationCost layered_bound(double n, double ranks, double layers) {
  return {.words = n * n / std::sqrt(layers * ranks),
          .messages = std::sqrt(ranks / (layers * layers * layers))};
}

}  // namespace cuboid::detail
