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

/// A product as ranks agree on it: equal ones are planned once. How many threads a rank has is not
/// among it, as ranks may differ in that.
struct ProductToPlan {
  ElementType type = ElementType::float64;
  ProductLayouts product;
  MultiplyOptions options;

  bool operator==(const ProductToPlan&) const = default;
};

/// The candidates that were kept for an equal product of this communicator, or what `weigh` finds,
/// which is kept from now on. The most recently used are kept. Collective where `weigh` is: equal
/// calls on all ranks find the same kept.
Candidates cached_candidates(const Communicator& communicator, const ProductToPlan& wanted,
                             const std::function<std::vector<PlanCandidate>()>& weigh);

}  // namespace cuboid::detail
