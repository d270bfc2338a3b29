#pragma once

#include <string>

namespace cuboid::detail {

/// "10.1.0.1" of "10.1.0.1/30": what stands before the length of a subnet's prefix, or all of it.
inline std::string without_prefix(const std::string& address) {
  return address.substr(0, address.find('/'));
}

}  // namespace cuboid::detail
