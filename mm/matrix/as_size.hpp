#pragma once

#include <cstddef>

namespace cuboid::detail {

/// A rank or a count of ranks as containers take it.
constexpr std::size_t as_size(int value) {
  return static_cast<std::size_t>(value);
}

}  // namespace cuboid::detail
