#pragma once

#include <cstdint>

namespace cuboid::detail {

/// The first index of part number `part` of `parts` even parts. The lengths of the parts differ by
/// at most one.
constexpr std::int64_t part_begin(std::int64_t extent, std::int64_t part, std::int64_t parts) {
  return extent * part / parts;
}

}  // namespace cuboid::detail
