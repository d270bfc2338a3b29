#pragma once

#include <cuboid/error.hpp>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

/// The rank of a plan among others. Soonest plans come first; plans that do not fit the memory
/// limit come last.
struct PlanRank {
  bool does_not_fit = false;
  double seconds = 0;

  auto operator<=>(const PlanRank&) const = default;
};

template <class Plan>
PlanRank rank_of(const Plan& plan) {
  return {!plan.fits, plan.seconds.total()};
}

/// Sorts plans by their rank.
template <class Plan>
void sort_soonest_first(std::vector<Plan>& plans) {
  std::ranges::stable_sort(
      plans, [](const Plan& one, const Plan& other) { return rank_of(one) < rank_of(other); });
}

/// Throws Error(out_of_memory), because no plan fits `limit`, with the memory that would suffice;
/// both in bytes per rank.
/// @param what  the work, and the ranks.
/// @param how   further conditions, with a leading blank, or empty.
[[noreturn]] inline void refuse_memory(const std::string& what, const std::string& how,
                                       std::int64_t least, std::int64_t limit) {
  throw Error(
      ErrorCode::out_of_memory,
      fmt::format("{} takes at least {} bytes per rank{}, the memory limit is {}: give more "
                  "ranks, or at least that much",
                  what, least, how, limit));
}

}  // namespace cuboid::detail
