#pragma once

#include <string>

namespace cuboid::detail {

/// An address without the length of a subnet's prefix: "10.1.0.1" for "10.1.0.1/30". The whole text
/// if there is no prefix.
inline std::string without_prefix(const std::string& address) {
  return address.substr(0, address.find('/'));
}

}  // namespace cuboid::detail
