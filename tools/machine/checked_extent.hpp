#pragma once

#include <cstdint>

namespace cuboid::detail::tools {

/// The extent of a modelled matrix. Throws Error(invalid_argument) naming the flag and the values
/// it can have where there is nothing to plan, or so much that counts overflow.
std::int64_t checked_extent(const char* flag, std::int64_t extent);

}  // namespace cuboid::detail::tools
