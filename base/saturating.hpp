#pragma once

#include <limits>

namespace cuboid::detail {

/// Sums and products of sizes that are not negative. If the result does not fit, it is the largest
/// number. No memory has that size, so a comparison with a limit refuses it.
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
