#include "mm/decompositions/cosma_decomposition.hpp"
#include "mm/plan/candidate_costs.hpp"
#include "mm/plan/common_costs.hpp"
#include "models/multiplication/product_extents.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cuboid::detail {

namespace {

/// The words of A and B that a rank exposes in a window, from which other ranks get what they need.
double shown_in_windows(const BrickGrid& bricks) {
  const auto largest = [](const auto& rows, const auto& columns) {
    return static_cast<double>(rows.block() * columns.block());
  };
  const double a = largest(bricks.a_rows(), bricks.a_inner());
  const double b = largest(bricks.b_inner(), bricks.b_columns());
  return (bricks.parts(WorkAxis::columns) > 1 ? a : 0) + (bricks.parts(WorkAxis::rows) > 1 ? b : 0);
}

}  // namespace

PlanCandidate in_bricks(MultiplicationAlgorithm algorithm, BrickGrid bricks,
                        const BrickSteps& steps, const PlanRequest& request, const Rates& rates) {
  const BrickCost busiest = bricks.busiest(steps);
  const auto extents = extents_of(request.size);
  const double height = part(extents.m, bricks.parts(WorkAxis::rows));
  const double breadth = part(extents.n, bricks.parts(WorkAxis::columns));
  const double depth = part(extents.k, bricks.parts(WorkAxis::inner));
  const double sums =
      std::min(height * lacking(breadth, bricks.parts(WorkAxis::inner)), busiest.words_received);
  const LayoutsFor layouts_for = [](const PlanCandidate& candidate, const ProductLayouts&) {
    const BrickGrid& grid = *candidate.bricks;
    return RequiredLayouts{grid.a_layout(), grid.b_layout(), grid.c_layout()};
  };
  PlanCandidate candidate{.algorithm = algorithm, .sides = request.sides};
  const double windows = request.sides == Sidedness::one_sided ? shown_in_windows(bricks) : 0;
  const double operands = busiest.words_received - sums;
  const MultiplicationCost cost{.work = busiest.work,
                                .a_words = operands,
                                .c_words = sums,
                                .messages = busiest.messages,
                                .memory = brick_memory(bricks, steps) + windows,
                                .rounds = static_cast<double>(steps.count()),
                                .result = height * breadth / steps.tiles(),
                                .operands = (height + breadth) * depth};
  LinksOfLines links;
  if (const Placement* placement = to_route_on(request)) {
    const BusiestLink link = busiest_link_of_bricks(bricks, *placement);
    // Several tiles bring the same operands over the same links again.
    links.a = share_of_link(bricks.busiest().words_received - sums, link.operands);
    links.c = share_of_link(sums, link.sums);
  }
  candidate.bricks = std::move(bricks);
  set_cost(candidate, cost, links, layouts_for, request, rates);
  candidate.rounds = steps.rounds;
  candidate.row_tiles = steps.row_tiles;
  candidate.column_tiles = steps.column_tiles;
  return candidate;
}

}  // namespace cuboid::detail
