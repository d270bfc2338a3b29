#include "collectives/rounds/distance_digits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cuboid::detail {

namespace {

// The number of places that the numbers below an extent need.
int places_with(int extent, int radix) {
  int places = 0;
  for (std::int64_t reached = 1; reached < extent; reached *= radix) ++places;
  return places;
}

int least_radix(int extent, int places) {
  int radix = 2;
  while (places_with(extent, radix) > places) ++radix;
  return radix;
}

// The digit with the value 0.
int middle(int digits) {
  return (digits - 1) / 2;
}

}  // namespace

bool any_has(const DistanceDigit& a, const DistanceDigit& b, int extent) {
  if (a.stride == b.stride) return a.number == b.number;
  return a.number * a.stride + b.number * b.stride < extent;
}

NumberSystem::NumberSystem(int extent, int radix) : extent_(extent) {
  const int base = least_radix(extent, places_with(extent, radix));
  for (int stride = 1; stride < extent; stride *= base) {
    const int digits = std::min(base, (extent + stride - 1) / stride);
    stride_of_place_.push_back(stride);
    radix_of_place_.push_back(digits);
    zero_ += middle(digits) * stride;
  }
}

DistanceDigit NumberSystem::digit(int place, int number) const {
  const auto p = static_cast<std::size_t>(place);
  const int digits = radix_of_place_[p];
  return {stride_of_place_[p], digits, number, number - middle(digits)};
}

bool NumberSystem::has(int distance, const DistanceDigit& digit) const {
  return (distance + zero_) % extent_ / digit.stride % digit.radix == digit.number;
}

}  // namespace cuboid::detail
