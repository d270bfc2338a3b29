#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace cuboid::detail {

/// What a bootstrap says of ranks that it waited for in vain, e.g. "rank 2 of 4 did not come within
/// 60 s; …". It lists 16 of them at most.
/// @param came  by rank
std::string absent_ranks(const std::vector<bool>& came, std::chrono::duration<double> waited);

}  // namespace cuboid::detail
