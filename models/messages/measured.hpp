#pragma once

#include <span>

namespace cuboid::detail {

/// A number as measurements show it, and the interval that holds the true one with a confidence of
/// 95%.
struct Measured {
  double value = 0;
  double least = 0;
  double most = 0;
};

/// A number that is taken as it is.
inline Measured exactly(double value) {
  return {value, value, value};
}

/// The median of measurements and the interval of the median that their ranks give, which supposes
/// nothing about how they are spread. Pure: the same measurements in any order give the same.
/// Throws Error(invalid_argument) if there are none, or one is not finite.
Measured median_of(std::span<const double> measurements);

/// The measurement that at least a quarter of all are not above: of times that something else can
/// only make longer, one that holds where up to three quarters were disturbed. Pure. Throws what
/// median_of() throws.
double lower_quartile(std::span<const double> measurements);

}  // namespace cuboid::detail
