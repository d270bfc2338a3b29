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

/// The elements that a rank receives when `ranks` ranks sum `vectors` vectors of `extent` elements
/// and each ends with a share of the vectors. The rank with the largest share receives that share
/// from each of the others.
inline double summed(double extent, double vectors, double ranks) {
  return (ranks - 1) * extent * part(vectors, ranks);
}

}  // namespace cuboid::detail
