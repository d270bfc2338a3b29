#pragma once

#include <cstdint>

namespace cuboid::detail {

/// Where part number `part` of `parts` even ones begins: their lengths differ by at most one.
constexpr std::int64_t part_begin(std::int64_t extent, std::int64_t part, std::int64_t parts) {
  return extent * part / parts;
}

}  // namespace cuboid::detail
