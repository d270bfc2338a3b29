#pragma once

#include <vector>

namespace cuboid::detail {

/// The digits of a place of a number system, of which a number has one.
struct DistanceDigit {
  int stride = 1;
  int radix = 2;   ///< how many there are
  int number = 0;  ///< which of them, from 0 on
  int value = 0;   ///< what it stands for: so many strides, up or down
};

/// Whether any of so many numbers has both digits.
bool any_has(const DistanceDigit& a, const DistanceDigit& b, int extent);

/// The distances below an extent, round a ring, as sums of one digit for each place. A place has
/// digits of both signs, as many up as down or one more, so that both directions of links are used.
class NumberSystem {
 public:
  /// @param radix  at most; all places have about as many digits, and there are as few places as
  ///               it allows.
  NumberSystem(int extent, int radix);

  int places() const { return static_cast<int>(radix_of_place_.size()); }
  int digits(int place) const { return radix_of_place_[static_cast<std::size_t>(place)]; }
  DistanceDigit digit(int place, int number) const;
  bool has(int distance, const DistanceDigit& digit) const;

 private:
  int extent_;
  int zero_ = 0;  // all digits numbered from 0 on, what distance 0 is
  std::vector<int> stride_of_place_;
  std::vector<int> radix_of_place_;
};

}  // namespace cuboid::detail
