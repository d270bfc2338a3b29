#pragma once

#include <cmath>

namespace cuboid::detail {

/// The largest of `parts` parts of an extent.
inline double part(double extent, double parts) {
  return std::ceil(extent / parts);
}

/// The number of indices that a rank lacks of `extent` indices if it owns the smallest of `parts`
/// shares.
inline double lacking(double extent, double parts) {
  return extent - std::floor(extent / parts);
}

}  // namespace cuboid::detail
