#pragma once

#include <algorithm>
#include <cstddef>

namespace cuboid::detail {

/// The first number from `begin` to before `end` for which holds(number) is false, or `end`:
/// holds() must be true below some number and false from it on. Calls holds() twice if the result
/// is `guess`, and as often as the logarithm of the distance if it is elsewhere.
template <class Holds>
std::size_t partition_point_near(std::size_t begin, std::size_t end, std::size_t guess,
                                 const Holds& holds) {
  std::size_t low = begin;  // the result is from here
  std::size_t high = end;   // to here
  guess = std::clamp(guess, begin, end);
  if (guess < end && holds(guess)) {
    low = guess + 1;
    for (std::size_t step = 1; step <= high - low; step *= 2) {
      if (!holds(low + step - 1)) {
        high = low + step - 1;
        break;
      }
      low += step;
    }
  } else {
    high = guess;
    for (std::size_t step = 1; step <= high - low; step *= 2) {
      if (holds(high - step)) {
        low = high - step + 1;
        break;
      }
      high -= step;
    }
  }
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (holds(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace cuboid::detail
