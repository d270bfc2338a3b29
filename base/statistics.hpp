#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace cuboid::detail {

/// The median: the middle value, or the mean of the two middle values; 0 if there are no values.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return std::midpoint(values[(values.size() - 1) / 2], values[values.size() / 2]);
}

/// The quantile: the smallest value that a given share of the values does not exceed; 0 if there
/// are no values.
inline double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace cuboid::detail
