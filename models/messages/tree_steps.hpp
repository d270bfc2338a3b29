#pragma once

#include <algorithm>
#include <cmath>

namespace cuboid::detail {

/// ⌈log2⌉ of the number of ranks: the number of consecutive messages of a binomial tree until the
/// last rank has what the first rank sends (Quintin et al. 2013, §IV).
inline double steps_of_tree(double ranks) {
  return std::ceil(std::log2(std::max(ranks, 1.0)));
}

}  // namespace cuboid::detail
