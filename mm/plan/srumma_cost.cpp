#include "mm/decompositions/srumma_tasks.hpp"
#include "mm/plan/candidate_costs.hpp"
#include "mm/plan/common_costs.hpp"
#include "models/messages/usual_parameters.hpp"

namespace cuboid::detail {

PlanCandidate srumma_on(const MappedGrid& grid, const PlanRequest& request, const Rates& rates) {
  const LayoutsFor layouts_for = [](const PlanCandidate& candidate, const ProductLayouts& stored) {
    return wanted_for_reading(stored, candidate.grid);
  };
  PlanCandidate candidate{.algorithm = MultiplicationAlgorithm::srumma,
                          .grid = grid.shape,
                          .copied_blocks = request.copied_blocks,
                          .blocking_gets = request.blocking_gets,
                          .blocks_by_arrival = request.blocks_by_arrival};
  const auto extents = extents_of(request.size);
  const double rows = grid.shape.rows(), columns = grid.shape.columns();
  if (rates.one_node && !request.copied_blocks) {
    // Matrices of the caller may be in a rank's private memory.
    const bool shared = !request.stored;
    set_cost(candidate, srumma_cost_on_node(extents, rows, columns, shared), {}, layouts_for,
             request, rates);
    return candidate;
  }
  const auto cost =
      srumma_cost(extents, rows, columns, static_cast<double>(srumma_over_network.widest_task),
                  static_cast<double>(srumma_over_network.at_once));
  LinksOfLines links;
  if (const Placement* placement = to_route_on(request)) {
    const double bound = busiest_link_of_srumma(grid.shape, request.size, *placement).operands;
    links.a = links.b = share_of_link(cost.a_words + cost.b_words, usual_unfilled_links * bound);
  }
  Rates rates_of_gets = rates;
  if (request.blocking_gets) rates_of_gets.overlap = 0;
  set_cost(candidate, cost, links, layouts_for, request, rates_of_gets);
  return candidate;
}

}  // namespace cuboid::detail
