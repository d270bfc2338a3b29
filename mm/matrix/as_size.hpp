#pragma once

#include <cstddef>

namespace cuboid::detail {

/// A rank or a number of ranks as the size type of containers.
constexpr std::size_t as_size(int value) {
  return static_cast<std::size_t>(value);
}

}  // namespace cuboid::detail
