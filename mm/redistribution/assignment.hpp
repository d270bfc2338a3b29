#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace cuboid::detail {

/// For each part of the destination, the number of elements that a rank keeps if it takes the part;
/// without an entry the rank keeps nothing. Parts and ranks are numbered from 0; there are equally
/// many.
using KeptElements = std::vector<std::map<std::size_t, std::int64_t>>;

/// Assigns each part a rank, and every rank once, so that many elements stay on their rank. The
/// largest entries are assigned first; then pairs of parts exchange their ranks if that keeps more.
/// The result keeps at least half of what the best assignment keeps. Takes time near-linear in the
/// number of entries of `kept`. Pure.
std::vector<std::size_t> assignment(const KeptElements& kept);

/// The number of elements that an assignment keeps.
std::int64_t all_kept(const KeptElements& kept, const std::vector<std::size_t>& ranks);

}  // namespace cuboid::detail
