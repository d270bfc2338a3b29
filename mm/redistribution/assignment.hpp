#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace cuboid::detail {

/// What a rank keeps if it takes a part of the destination, by part and rank; where there is none,
/// nothing. Parts and ranks are numbered from 0 on, as many of each.
using KeptElements = std::vector<std::map<std::size_t, std::int64_t>>;

/// A rank for each part, every rank once, so that much is kept in all: the largest first, then
/// pairs of parts exchange their ranks wherever more is kept so. At least half of what the best
/// assignment keeps. In time near-linear in the number of entries of `kept`. Pure.
std::vector<std::size_t> assignment(const KeptElements& kept);

/// What an assignment keeps.
std::int64_t all_kept(const KeptElements& kept, const std::vector<std::size_t>& ranks);

}  // namespace cuboid::detail
