#pragma once

namespace cuboid::detail::tools {

/// A value divided by another one; 0 if the value is 0, as all values of an empty matrix are.
inline double ratio(double value, double to) {
  return value == 0 ? 0 : value / to;
}

}  // namespace cuboid::detail::tools
