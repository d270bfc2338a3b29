#pragma once

#include <limits>

namespace cuboid::detail {

/// Sums and products of sizes that are not negative. What does not fit becomes the largest number,
/// which no memory has, so that whoever compares it with a limit refuses it.
template <class Size>
constexpr Size saturating_sum(Size a, Size b) {
  Size sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<Size>::max() : sum;
}

template <class Size>
constexpr Size saturating_product(Size a, Size b) {
  Size product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<Size>::max() : product;
}

}  // namespace cuboid::detail
