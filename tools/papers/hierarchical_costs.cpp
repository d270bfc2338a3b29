#include "tools/papers/hierarchical_costs.hpp"

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

namespace {

/// L' and W' by central differences, exact to ten digits for these factors.
BroadcastFactors derivatives(const BroadcastModel& broadcast, double ranks) {
  const double step = 1e-5 * ranks;
  const BroadcastFactors more = broadcast_factors(broadcast, ranks + step),
                         less = broadcast_factors(broadcast, ranks - step);
  return {(more.latency - less.latency) / (2 * step),
          (more.bandwidth - less.bandwidth) / (2 * step)};
}

}  // namespace

double hsumma_slope(const Hockney& per_element, const BroadcastModel& broadcast,
                    const GroupedProduct& product, double groups) {
  const double p = product.ranks, n = product.n, root = std::sqrt(groups);
  const BroadcastFactors between = derivatives(broadcast, root),
                         inside = derivatives(broadcast, std::sqrt(p / groups));
  const auto slope = [&](double of_between, double of_inside) {
    return of_between / root - std::sqrt(p) * of_inside / (groups * root);
  };
  return slope(between.latency, inside.latency) * n / product.inner_block * per_element.alpha +
         slope(between.bandwidth, inside.bandwidth) * n * n / std::sqrt(p) * per_element.beta;
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
