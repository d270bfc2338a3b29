#pragma once

#include <cstdint>

namespace cuboid::detail::tools {

/// The extent of a modelled matrix. Throws Error(invalid_argument), which names the flag and its
/// allowed values, if there is nothing to plan or if the extent is so large that counts overflow.
std::int64_t checked_extent(const char* flag, std::int64_t extent);

}  // namespace cuboid::detail::tools
