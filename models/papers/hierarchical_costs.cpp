#include "models/papers/hierarchical_costs.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <cmath>

namespace cuboid::detail {

GroupedSeconds hsumma_seconds(const Hockney& per_element, const BroadcastModel& broadcast,
                              const GroupedProduct& product, double groups) {
  const BroadcastFactors inside = broadcast_factors(broadcast, std::sqrt(product.ranks / groups));
  const BroadcastFactors between = broadcast_factors(broadcast, std::sqrt(groups));
  const double n = product.n;
  const double elements = n * n / std::sqrt(product.ranks);
  return {.latency_inside = 2 * inside.latency * n / product.inner_block * per_element.alpha,
          .latency_between = 2 * between.latency * n / product.outer_block * per_element.alpha,
          .bandwidth_inside = 2 * inside.bandwidth * elements * per_element.beta,
          .bandwidth_between = 2 * between.bandwidth * elements * per_element.beta};
}

double hsumma_seconds_of_levels(const Hockney& per_element, const BroadcastModel& broadcast,
                                const GroupedProduct& product, int levels) {
  const BroadcastFactors factors =
      broadcast_factors(broadcast, std::pow(product.ranks, 0.5 / levels));
  return 2 * levels *
         (factors.latency * product.n / product.inner_block * per_element.alpha +
          factors.bandwidth * product.n * product.n / std::sqrt(product.ranks) * per_element.beta);
}

GroupedSeconds summa_seconds(const Hockney& per_element, const BroadcastModel& broadcast,
                             const GroupedProduct& product) {
  return hsumma_seconds(per_element, broadcast, product, 1);
}

double optimal_groups(const Hockney& per_element, const GroupedProduct& product) {
  const bool groups_pay =
      per_element.alpha * product.ranks > 2 * product.n * product.inner_block * per_element.beta;
  return groups_pay ? std::sqrt(product.ranks) : 1;
}

double best_groups(const Hockney& per_element, const BroadcastModel& broadcast,
                   const GroupedProduct& product, std::span<const double> candidates) {
  if (candidates.empty())
    throw Error(ErrorCode::invalid_argument, "best_groups: no candidates: give at least one");
  return *std::ranges::min_element(candidates, {}, [&](double groups) {
    return hsumma_seconds(per_element, broadcast, product, groups).total();
  });
}

}  // namespace cuboid::detail
