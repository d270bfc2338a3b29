#include "tools/machine/checked_extent.hpp"

#include "tools/output/refuse.hpp"

#include <fmt/format.h>

namespace cuboid::detail::tools {

std::int64_t checked_extent(const char* flag, std::int64_t extent) {
  constexpr std::int64_t longest = std::int64_t{1} << 31;
  if (extent < 1 || extent > longest)
    refuse(fmt::format("{} {}: give 1 to {}", flag, extent, longest));
  return extent;
}

}  // namespace cuboid::detail::tools
