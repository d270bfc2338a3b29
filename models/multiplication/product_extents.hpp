#pragma once

namespace cuboid::detail {

/// A product of an m×k and a k×n matrix, as the models count it: real, for they divide it by roots.
struct ProductExtents {
  double m = 0;
  double n = 0;
  double k = 0;

  double work() const { return m * n * k; }                  ///< multiplications
  double elements() const { return m * n + m * k + n * k; }  ///< of all three matrices
};

/// What a rank communicates: matrix elements and messages.
struct CommunicationCost {
  double words = 0;
  double messages = 0;
};

}  // namespace cuboid::detail
