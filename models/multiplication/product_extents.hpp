#pragma once

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

}  // namespace cuboid::detail
