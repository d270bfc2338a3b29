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

/// What comes to the rank with the largest of `ranks` shares of `vectors` vectors of `extent`
/// elements, when as many ranks' contributions are summed: its share from each of the others.
inline double summed(double extent, double vectors, double ranks) {
  return (ranks - 1) * extent * part(vectors, ranks);
}

}  // namespace cuboid::detail
