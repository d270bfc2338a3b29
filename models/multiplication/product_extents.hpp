#pragma once

#include <cmath>

namespace cuboid::detail {

/// The extents of a product of an m×k and a k×n matrix. They are real numbers, because models
/// divide them by roots.
struct ProductExtents {
  double m = 0;
  double n = 0;
  double k = 0;

  double work() const { return m * n * k; }                  ///< multiplications
  double elements() const { return m * n + m * k + n * k; }  ///< elements of all three matrices
};

/// The communication of a rank: matrix elements and messages.
struct CommunicationCost {
  double words = 0;
  double messages = 0;
};

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
