#pragma once

#include <cuboid/error.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
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

/// Checks the extents of a matrix, and the options of a factorisation that all kinds have. Throws
/// Error(invalid_argument).
template <class Options>
void check_factorisation(const char* name, std::int64_t m, std::int64_t n, const Options& options) {
  const auto refuse = [&](const std::string& message) {
    throw Error(ErrorCode::invalid_argument, fmt::format("{}: {}", name, message));
  };
  if (m < 0 || n < 0) refuse(fmt::format("a {}x{} matrix: sizes must not be negative", m, n));
  // With this limit every number of a schedule, on any number of ranks, fits 64 bits.
  constexpr std::int64_t most = std::int64_t{1} << 44;
  if (m > most || n > most)
    refuse(fmt::format("a {}x{} matrix: give at most {} rows and columns", m, n, most));
  if (options.block && *options.block < 1)
    refuse(fmt::format("block {}: give at least 1", *options.block));
  if (options.memory_limit && *options.memory_limit < 0)
    refuse(fmt::format("memory limit {}: must not be negative", *options.memory_limit));
}

/// The bytes of so many elements, at most the most that a number of bytes can be.
inline std::int64_t bytes_of(double elements, std::size_t element_bytes) {
  constexpr double most = 9e18;
  return static_cast<std::int64_t>(std::min(elements * static_cast<double>(element_bytes), most));
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
