#pragma once

#include <cuboid/request.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// The planned collectives of panels that are gathered or summed. Panels of equal shares that use
/// the memory of the same slot have one plan.
class PanelPlans {
 public:
  /// The index of the plan for a slot, the ranks' shares and a number of vectors per share. If
  /// there is no such plan yet, `make` creates it from each rank's number of elements.
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
