#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace cuboid::detail {

/// The text with which a bootstrap reports ranks that it waited for in vain, e.g. "rank 2 of 4 did
/// not come within 60 s; …". It lists 16 ranks at most.
/// @param came  by rank: true if the rank came
std::string absent_ranks(const std::vector<bool>& came, std::chrono::duration<double> waited);

}  // namespace cuboid::detail
