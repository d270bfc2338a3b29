#include "tools/papers/decomposition_costs.hpp"

#include "models/multiplication/lower_bounds.hpp"

#include <algorithm>
#include <cmath>

namespace cuboid::detail {

namespace {

/// The steps of a tree that distributes to `ratio` ranks; 0 if there is nothing to distribute.
double steps_of(double ratio) {
  return std::max(0.0, std::log2(ratio));
}

}  // namespace

CommunicationCost flat_decomposition(const ProductExtents& product, double ranks) {
  const auto [m, n, k] = product;
  return {.words = k * (m + n) / std::sqrt(ranks) + m * n / ranks,
          .messages = 2 * k * std::log2(std::sqrt(ranks))};
}

double layers_that_fit(const ProductExtents& product, double ranks, double memory) {
  return ranks * memory / (product.k * (product.m + product.n));
}

CommunicationCost layered_decomposition(const ProductExtents& product, double ranks,
                                        double memory) {
  const auto [m, n, k] = product;
  const double operands = k * (m + n);
  return {
      .words = std::pow(operands, 1.5) / (ranks * std::sqrt(memory)) + m * n * memory / operands,
      .messages = std::pow(operands, 2.5) / (ranks * std::pow(memory, 1.5) * (operands - m * n)) +
                  3 * steps_of(layers_that_fit(product, ranks, memory))};
}

CommunicationCost recursive_decomposition(const ProductExtents& product, double ranks,
                                          double memory) {
  const double work = product.work() / ranks;
  const double face = std::pow(work, 2.0 / 3);
  return {.words = 2 * std::max(std::sqrt(3 / memory) * work, face) + face,
          .messages = std::pow(3 / memory, 1.5) * work + 3 * std::log2(ranks)};
}

WorkDomain recursive_domain(const ProductExtents& product, double ranks) {
  WorkDomain domain{product.m, product.n, product.k};
  for (double left = ranks; left > 1; left /= 2) {
    double* const longest = std::max({&domain.columns, &domain.rows, &domain.inner},
                                     [](const double* a, const double* b) { return *a < *b; });
    *longest /= 2;
  }
  return domain;
}

WorkDomain optimal_work_domain(const ProductExtents& product, double ranks, double memory) {
  const double work = product.work() / ranks;
  const double edge = std::cbrt(work);
  const double a = std::min(std::sqrt(memory), edge);
  return {a, a, std::max(work / memory, edge)};
}

double rounds_of(const WorkDomain& domain, double memory) {
  const double left = memory - domain.rows * domain.columns;
  const double most = std::max(1.0, std::ceil(domain.inner));
  if (left <= 0) return most;
  return std::clamp(std::ceil((domain.rows + domain.columns) * domain.inner / left), 1.0, most);
}

CommunicationCost traded_decomposition(const ProductExtents& product, double ranks, double memory,
                                       double a) {
  const double operands = 2 * product.work() / (ranks * a);
  return {.words = operands + a * a, .messages = operands / (memory - a * a)};
}

SequentialTile sequential_tile(double memory) {
  const double root = std::sqrt(memory - 1);
  return {std::floor((memory - 1) / (root + 1)), std::floor(root)};
}

double SequentialTile::words_over_bound(double memory) const {
  return std::sqrt(memory) * (rows + columns) / (2 * rows * columns);
}

CommunicationCost optimal_decomposition(const ProductExtents& product, double ranks,
                                        double memory) {
  const WorkDomain domain = optimal_work_domain(product, ranks, memory);
  const double a = domain.rows;
  return {.words = parallel_bound(product, ranks, memory),
          .messages = rounds_of(domain, memory) * steps_of(product.m * product.n / (a * a))};
}

}  // namespace cuboid::detail
