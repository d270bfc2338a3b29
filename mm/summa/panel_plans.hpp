#pragma once

#include <cuboid/request.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// The collectives of panels that are gathered or summed: panels of equal shares that use the same
/// slot's memory have one plan.
class PanelPlans {
 public:
  /// The number of the plan for a slot and shares of so many vectors; `make` plans it from the
  /// elements of each rank, where there is none yet.
  template <class Make>
  std::size_t number(std::size_t slot, std::span<const std::int64_t> shares, std::int64_t vectors,
                     const Make& make) {
    std::vector<std::size_t> counts;
    for (const std::int64_t share : shares)
      counts.push_back(static_cast<std::size_t>(share * vectors));
    const auto found = std::ranges::find_if(
        plans_, [&](const Plan& plan) { return plan.slot == slot && plan.counts == counts; });
    const auto number = static_cast<std::size_t>(found - plans_.begin());
    if (found != plans_.end()) return number;
    CollectivePlan collective = make(counts);
    plans_.push_back({slot, std::move(counts), std::move(collective)});
    return number;
  }

  CollectivePlan& operator[](std::size_t number) { return plans_[number].collective; }

 private:
  struct Plan {
    std::size_t slot;
    std::vector<std::size_t> counts;
    CollectivePlan collective;
  };

  std::vector<Plan> plans_;
};

}  // namespace cuboid::detail
