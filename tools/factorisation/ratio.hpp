#pragma once

namespace cuboid::detail::tools {

/// How large a value is beside another; 0 where it is 0, as all values of an empty matrix are.
inline double ratio(double value, double to) {
  return value == 0 ? 0 : value / to;
}

}  // namespace cuboid::detail::tools
