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

/// A product as all ranks know it. Equal products are planned once. The number of threads does not
/// belong to it, because ranks may have different numbers.
struct ProductToPlan {
  ElementType type = ElementType::float64;
  ProductLayouts product;
  MultiplyOptions options;

  bool operator==(const ProductToPlan&) const = default;
};

/// The cached candidates for an equal product of this communicator. If there are none, `weigh`
/// finds the candidates, which are then cached. The most recently used candidates stay in the
/// cache. Collective if `weigh` is: equal calls on all ranks find the same entries.
Candidates cached_candidates(const Communicator& communicator, const ProductToPlan& wanted,
                             const std::function<std::vector<PlanCandidate>()>& weigh);

}  // namespace cuboid::detail
