#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace cuboid::detail {

/// The elements that a rank keeps if it takes a part of the destination, by part and rank; no
/// entry: nothing. Parts and ranks are numbered from 0, as many of each.
using KeptElements = std::vector<std::map<std::size_t, std::int64_t>>;

/// A rank for each part, every rank once, so that many elements stay: the largest entries first,
/// then pairs of parts exchange their ranks where that keeps more. At least half of what the best
/// assignment keeps. Takes time near-linear in the number of entries of `kept`. Pure.
std::vector<std::size_t> assignment(const KeptElements& kept);

/// The number of elements that an assignment keeps.
std::int64_t all_kept(const KeptElements& kept, const std::vector<std::size_t>& ranks);

}  // namespace cuboid::detail
