#include "mm/decompositions/carma_decomposition.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// The prime factors of a number, in descending order.
std::vector<int> prime_factors(int number) {
  std::vector<int> factors;
  for (int prime = 2; prime <= number / prime; ++prime) {
    for (; number % prime == 0; number /= prime) factors.push_back(prime);
  }
  if (number > 1) factors.push_back(number);
  std::reverse(factors.begin(), factors.end());
  return factors;
}

}  // namespace

BrickGrid decompose_for_carma(const ProductSize& size, int ranks) {
  if (ranks < 1) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("CARMA: {} ranks: give at least 1", ranks));
  }
  struct Extent {
    WorkAxis axis;
    double length;
  };
  std::array<Extent, 3> extents{{{WorkAxis::columns, static_cast<double>(size.n)},
                                 {WorkAxis::rows, static_cast<double>(size.m)},
                                 {WorkAxis::inner, static_cast<double>(size.k)}}};
  std::vector<Split> splits;
  for (const int factor : prime_factors(ranks)) {
    Extent& largest = *std::max_element(
        extents.begin(), extents.end(),
        [](const Extent& one, const Extent& other) { return one.length < other.length; });
    splits.push_back({largest.axis, factor});
    largest.length /= factor;
  }
  return {size, std::move(splits)};
}

BrickGrid in_prime_splits(const BrickGrid& bricks, std::optional<WorkAxis> only) {
  std::vector<Split> splits;
  for (const auto& [along, parts] : bricks.splits()) {
    if (only && *only != along) {
      splits.push_back({along, parts});
      continue;
    }
    for (const int factor : prime_factors(parts)) splits.push_back({along, factor});
  }
  return {bricks.size(), std::move(splits)};
}

}  // namespace cuboid::detail
