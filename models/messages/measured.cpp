#include "models/messages/measured.hpp"

#include <cuboid/error.hpp>

#include "base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

std::vector<double> in_order(std::span<const double> measurements) {
  std::vector<double> sorted(measurements.begin(), measurements.end());
  if (sorted.empty())
    throw Error(ErrorCode::invalid_argument, "a quantile needs one measurement at least");
  for (const double one : sorted) {
    if (!std::isfinite(one))
      throw Error(ErrorCode::invalid_argument, fmt::format("a measurement of {}", one));
  }
  std::ranges::sort(sorted);
  return sorted;
}

}  // namespace

double lower_quartile(std::span<const double> measurements) {
  const std::vector<double> sorted = in_order(measurements);
  return sorted[(sorted.size() - 1) / 4];
}

Measured median_of(std::span<const double> measurements) {
  const std::vector<double> sorted = in_order(measurements);
  const std::size_t count = sorted.size();
  // Each measurement is below the true median with probability 1/2. So the number of measurements
  // below it is binomial, with standard deviation √n/2. Half a measurement is added because numbers
  // are whole.
  const double half = 1.96 * std::sqrt(static_cast<double>(count)) / 2 + 0.5;
  const double below = std::floor(static_cast<double>(count) / 2 - half);
  const auto first = static_cast<std::size_t>(std::max(below, 0.0));
  return {.value = median(sorted), .least = sorted[first], .most = sorted[count - 1 - first]};
}

}  // namespace cuboid::detail
