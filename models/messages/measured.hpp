#pragma once

#include <span>

namespace cuboid::detail {

/// A measured number, and an interval that contains the true number with a confidence of 95%.
struct Measured {
  double value = 0;
  double least = 0;
  double most = 0;
};

/// A number that is known exactly.
inline Measured exactly(double value) {
  return {value, value, value};
}

/// The median of measurements, and the interval of the median by order statistics, which assumes
/// nothing about the distribution. Pure; the order of the measurements does not matter. Throws
/// Error(invalid_argument) if there are none, or one is not finite.
Measured median_of(std::span<const double> measurements);

/// The least measurement that at least a quarter of all measurements do not exceed. For times that
/// disturbances can only make longer, it is valid even if three quarters were disturbed. Pure.
/// Throws what median_of() throws.
double lower_quartile(std::span<const double> measurements);

}  // namespace cuboid::detail
