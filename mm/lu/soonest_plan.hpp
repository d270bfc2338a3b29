#pragma once

#include <cuboid/error.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

/// Sorts plans by their predicted seconds; plans that do not fit the memory limit come last.
template <class Plan>
void sort_soonest_first(std::vector<Plan>& plans) {
  std::ranges::stable_sort(plans, [](const Plan& one, const Plan& other) {
    if (one.fits != other.fits) return one.fits;
    return one.seconds.total() < other.seconds.total();
  });
}

/// The first of plans so sorted. If none fits `limit`, in bytes per rank, throws
/// Error(out_of_memory) with the memory that would suffice.
/// @param what  the work, and the ranks.
/// @param how   further conditions, with a leading blank, or empty.
template <class Plan>
Plan soonest_that_fits(const std::vector<Plan>& plans, const std::string& what,
                       const std::string& how, std::int64_t limit) {
  if (plans.front().fits) return plans.front();
  const Plan& least = *std::ranges::min_element(plans, {}, &Plan::memory_bytes);
  throw Error(
      ErrorCode::out_of_memory,
      fmt::format("{} takes at least {} bytes per rank{}, the memory limit is {}: give more "
                  "ranks, or at least that much",
                  what, least.memory_bytes, how, limit));
}

}  // namespace cuboid::detail
