#pragma once

#include <vector>

namespace cuboid::detail {

/// A digit at one place of a NumberSystem.
struct DistanceDigit {
  int stride = 1;  ///< the value of one unit at this place
  int radix = 2;   ///< the number of different digits at this place
  int number = 0;  ///< which of these digits, from 0 on
  int value = 0;   ///< its value in strides; negative: downwards
};

/// True if some distance below `extent` has both digits.
bool any_has(const DistanceDigit& a, const DistanceDigit& b, int extent);

/// Writes the distances round a ring of `extent` positions as sums of one digit for each place. A
/// place has as many positive digits as negative digits, or one more, so that both directions of
/// links are used. With radix 3 the digits are −1, 0 and 1, and distance 5 on a ring of 9 is −1 · 3
/// − 1 · 1 = −4, which is 5 modulo 9.
class NumberSystem {
 public:
  /// @param radix  the most digits of a place. There are as few places as it allows, and all places
  ///               have about as many digits.
  NumberSystem(int extent, int radix);

  int places() const { return static_cast<int>(radix_of_place_.size()); }
  int digits(int place) const { return radix_of_place_[static_cast<std::size_t>(place)]; }
  DistanceDigit digit(int place, int number) const;
  bool has(int distance, const DistanceDigit& digit) const;

 private:
  int extent_;
  int zero_ = 0;  // distance 0, if digits are counted from 0 on
  std::vector<int> stride_of_place_;
  std::vector<int> radix_of_place_;
};

}  // namespace cuboid::detail
