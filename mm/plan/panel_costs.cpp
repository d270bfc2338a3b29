#include "mm/drivers/summa/hsumma.hpp"
#include "mm/drivers/summa/summa.hpp"
#include "mm/plan/candidate_costs.hpp"
#include "mm/plan/common_costs.hpp"
#include "models/multiplication/stationary_costs.hpp"

#include <algorithm>

namespace cuboid::detail {

PlanCandidate summa_on(const MappedGrid& grid, const GroupShape& groups, const PlanRequest& request,
                       const Rates& rates) {
  const int P = grid.shape.rows(), Q = grid.shape.columns();
  const LayoutsFor layouts_for = [](const PlanCandidate& candidate, const ProductLayouts& stored) {
    const std::int64_t k = std::max<std::int64_t>(stored.size().k, 1);
    return wanted_for_panels(stored, candidate.grid,
                             std::clamp<std::int64_t>(candidate.panel_width, 1, k));
  };
  PlanCandidate candidate{.algorithm = MultiplicationAlgorithm::summa, .grid = grid.shape};
  candidate.groups = groups;
  // On one rank a single panel is best.
  candidate.panel_width = grid.shape.size() == 1 && !request.panel_width
                              ? std::max<std::int64_t>(request.size.k, 1)
                              : panel_width(request, rates);
  const bool in_groups = groups.size() > 1 || request.groups.sample;
  if (in_groups && request.outer_width && !request.panel_width)
    candidate.panel_width = std::min(candidate.panel_width, *request.outer_width);
  constexpr std::int64_t panels = 4;
  const std::int64_t outer_width = candidate.panel_width < request.size.k / panels
                                       ? panels * candidate.panel_width
                                       : request.size.k;
  candidate.outer_width =
      std::max(request.outer_width.value_or(outer_width), candidate.panel_width);
  candidate.order = panel_order(rates);
  // With one rank in each group, it is SUMMA with the outer panels.
  const bool each_alone = groups.size() == grid.shape.size();
  const bool plain = groups.size() == 1 || each_alone;
  const auto width =
      each_alone && !(P == 1 && Q == 1) ? candidate.outer_width : candidate.panel_width;
  const GroupShape counted = plain ? GroupShape{} : groups;
  const auto cost = summa_cost(extents_of(request.size), P, Q,
                               {.inner = static_cast<double>(width),
                                .outer = static_cast<double>(candidate.outer_width),
                                .groups_along_rows = static_cast<double>(counted.columns),
                                .groups_along_columns = static_cast<double>(counted.rows),
                                .held = plain ? panels_held(candidate.order) : 2,
                                .put_together = put_together(candidate.order),
                                .broadcast = rates.broadcast});
  LinksOfLines links = links_to_spread(grid);
  if (links.apart && plain)
    links = links_to_gather(*grid.rows, *grid.columns, grid.shape, cost, request, rates);
  if (rates.broadcast) {
    links = {1 / broadcast_factor(*rates.broadcast, Q, counted.columns),
             1 / broadcast_factor(*rates.broadcast, P, counted.rows)};
  } else if (links.apart) {
    const auto is_ring = [](double spread) { return spread > 1; };
    links.a /= crossing_factor(Q, groups.columns, is_ring(links.a));
    links.b /= crossing_factor(P, groups.rows, is_ring(links.b));
  }
  set_cost(candidate, cost, links, layouts_for, request, rates);
  return candidate;
}

PlanCandidate stationary_on(StationaryOperand stays, const MappedGrid& grid,
                            const PlanRequest& request, const Rates& rates) {
  const bool a_stays = stays == StationaryOperand::a;
  const LayoutsFor layouts_for = [](const PlanCandidate& candidate, const ProductLayouts& stored) {
    const bool a = candidate.algorithm == MultiplicationAlgorithm::stationary_a;
    return wanted_for_stationary(stored, candidate.grid,
                                 a ? StationaryOperand::a : StationaryOperand::b);
  };
  PlanCandidate candidate{.algorithm = a_stays ? MultiplicationAlgorithm::stationary_a
                                               : MultiplicationAlgorithm::stationary_b,
                          .grid = grid.shape};
  const std::int64_t moving = a_stays ? request.size.n : request.size.m;
  candidate.panel_width = grid.shape.size() == 1 && !request.panel_width
                              ? std::max<std::int64_t>(moving, 1)
                              : panel_width(request, rates);
  const auto cost =
      stationary_cost(extents_of(request.size), a_stays, grid.shape.rows(), grid.shape.columns(),
                      static_cast<double>(candidate.panel_width));
  LinksOfLines links = links_to_spread(grid);
  if (links.apart) {
    links.c = a_stays ? links.a : links.b;
    links.sums = a_stays ? LinksOfLines::Sums::of_a : LinksOfLines::Sums::of_b;
  }
  set_cost(candidate, cost, links, layouts_for, request, rates);
  return candidate;
}

PlanCandidate sampled_on(const MappedGrid& grid, const PlanRequest& request, const Rates& rates) {
  PlanCandidate candidate = summa_on(grid, {}, request, rates);
  candidate.algorithm = MultiplicationAlgorithm::hsumma;
  candidate.sample_groups = true;
  for (const GroupShape& groups : group_shapes(grid.shape))
    candidate.memory = std::max(candidate.memory, summa_on(grid, groups, request, rates).memory);
  const auto [m, n, k] = extents_of(request.size);
  const double sampled =
      std::min(k, static_cast<double>(sampled_outer_panels * candidate.outer_width));
  candidate.memory += (m * sampled + sampled * n + m * n) / grid.shape.size();
  candidate.fits = fits(candidate, request);
  return candidate;
}

}  // namespace cuboid::detail
