#pragma once

#include "collectives/selection/large_groups.hpp"

#include <optional>
#include <span>

namespace cuboid::detail {

/// An algorithm with the best of its settings, as they are found in large groups; nullopt if it
/// cannot serve the group.
inline std::optional<Choice> by_asking(const Call& call, const Algorithm& algorithm) {
  const Algorithm* only = &algorithm;
  const auto choices = choices_in_large_group(call, std::span(&only, 1));
  if (choices.empty()) return std::nullopt;
  return choices.front();
}

}  // namespace cuboid::detail
