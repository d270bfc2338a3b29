#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/element.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/multiply_options.hpp>

#include "mm/plan/planner.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace cuboid::detail {

using Candidates = std::shared_ptr<const std::vector<PlanCandidate>>;

/// A product as all ranks know it; equal products are planned once. The number of threads is not
/// part of it, because it may differ between ranks.
struct ProductToPlan {
  ElementType type = ElementType::float64;
  ProductLayouts product;
  MultiplyOptions options;

  bool operator==(const ProductToPlan&) const = default;
};

/// The cached candidates for an equal product of this communicator, or those that `weigh` finds,
/// which are cached. The most recently used ones stay. Collective if `weigh` is: equal calls on all
/// ranks find the same entries.
Candidates cached_candidates(const Communicator& communicator, const ProductToPlan& wanted,
                             const std::function<std::vector<PlanCandidate>()>& weigh);

}  // namespace cuboid::detail
